import type { SaxesAttributeNS, SaxesTagNS } from 'saxes';
import { Canvas, MOVES } from './cost/canvas.ts';
import { boundsOf, type CostedElement, DrawCost, NO_BOUNDS, NO_USES } from './cost/draw-cost.ts';
import type { Step } from './cost/filters.ts';
import { openCanvas } from './cost/open-canvas.ts';
import { MAX_COST, RULE } from './cost/prices.ts';
import { placeElement } from './cost/shape-of.ts';
import { IDENTITY } from './cost/transforms.ts';
import { XLINK } from './svg-names.ts';
import {
  type Drawn,
  type Effect,
  INHERIT,
  type Manner,
  NOTHING_DRAWN,
  type Reference,
  readProperty,
  readStyle,
  type StyleRules,
} from './svg-styles.ts';

/**
 * Maximum number of elements that references may add. A browser draws this many in a second or two. A drawing of a kilobyte
 * with twenty groups, each of which uses the previous one twice, has a million elements and blocks the browser.
 */
export const MAX_REFERENCED = 20_000;
/** Maximum number of steps in a filter; drawing programs write up to twenty. Each is a pass, and browsers nest them in memory. */
export const MAX_FILTER_STEPS = 100;

const TOO_MANY = `references that repeat more than ${MAX_REFERENCED} elements`;

/** The content that makes a drawing too expensive, and its line. */
type Excess = { readonly line: number; readonly what: string };

type Element = {
  readonly name: string;
  readonly line: number;
  readonly id: string;
  readonly classes: string;
  shape: CostedElement['shape'];
  readonly own: CostedElement['own'];
  readonly keepsUnits: boolean;
  readonly step: Step['attributes'] | undefined;
  /** The references of its own attributes; those of style sheets, which may come later, are added at the end. */
  readonly drawn: Drawn;
  readonly parent: Element | undefined;
  readonly children: Element[];
  /** The references of fill, stroke and markers, including inherited ones; cached on first use. */
  inherited: readonly Link[] | undefined;
  state: 'new' | 'open' | 'done';
  /**
   * The size and the number of the elements inside, including itself; the size that references add; the points of all of
   * them. Only valid in the state `done`.
   */
  written: number;
  elements: number;
  added: number;
  allPoints: number;
  effects: readonly Effect[];
  uses: CostedElement['uses'];
  bounds: CostedElement['bounds'];
};
type Link = { readonly manner: Reference['manner']; readonly target: Element };

/** Elements that are only looked up, never drawn. */
const GRADIENTS: ReadonlySet<string> = new Set(['linearGradient', 'radialGradient']);
/** Attributes whose references are drawn once, unless a descendant has the value "inherit". */
const ONCE = ['style', 'mask', 'filter', 'clip-path'] as const;
/** The size of a filter step, which processes all pixels and so costs more than a shape. */
const STEP_SIZE = 10;
const NO_LINKS: readonly Link[] = [];
const TOO_DEAR =
  'content that takes too long to draw: shapes, filters, masks or layers over a large part of the image';

/** Collects the elements of a drawing and their references, to estimate the cost of drawing it. */
export class References {
  readonly #rules: StyleRules;
  readonly #byId = new Map<string, Element>();
  #root: Element | undefined;
  #here: Element | undefined;
  #saysInherit = false;
  #excess: string | undefined;
  #elements = 0;
  readonly #canvas = new Canvas();

  /** @param rules the references of the style sheets; must be complete before `findExcess` */
  constructor(rules: StyleRules) {
    this.#rules = rules;
  }

  open(tag: SaxesTagNS, line: number): void {
    if (this.#root === undefined) openCanvas(this.#canvas, tag);
    const element = elementOf(tag, line, this.#here, this.#canvas);
    this.#elements += 1;
    this.#root ??= element;
    this.#here?.children.push(element);
    this.#here = element;
    // Browsers use the first of several elements with the same id.
    if (element.id !== '' && !this.#byId.has(element.id)) this.#byId.set(element.id, element);
    this.#saysInherit ||= ONCE.some((name) => INHERIT.test(tag.attributes[name]?.value ?? ''));
  }

  /** Counts the letters of a text. */
  text(letters: number): void {
    const element = this.#here;
    if (element?.shape.isShape === true)
      element.shape = { ...element.shape, letters: element.shape.letters + letters };
  }

  close(): void {
    this.#here = this.#here?.parent;
  }

  /** Finds the first excess, in referenced elements before the elements that refer to them; undefined when there is none. */
  findExcess(): Excess | undefined {
    this.#rules.noteEffects((effect) => this.#canvas.note(effect, true));
    const stack = this.#root === undefined ? [] : [this.#root];
    let followed = 0;
    for (let element = stack.at(-1); element !== undefined; element = stack.at(-1)) {
      if (element.state === 'new') followed += this.#enter(element, stack);
      else this.#leave(element, stack);
      const what = followed > MAX_REFERENCED ? TOO_MANY : this.#excess;
      if (what !== undefined) return { line: element.line, what };
    }
    return this.#root === undefined ? undefined : this.#costExcess(this.#root);
  }

  #costExcess(root: Element): Excess | undefined {
    const drawCost = new DrawCost(this.#canvas);
    const rules = this.#rules.selectors * this.#elements * RULE;
    if (drawCost.totalOf(root) + rules <= MAX_COST) return undefined;
    return { line: dearest(root, drawCost).line, what: TOO_DEAR };
  }

  /** Pushes the elements that must be counted before an element onto the stack. Returns the number of followed references. */
  #enter(element: Element, stack: Element[]): number {
    element.state = 'open';
    const links = this.#linksOf(element);
    const next = [...element.children, ...links.map(({ target }) => target)];
    this.#excess = unboundedReason(element, links, next);
    for (const one of next) if (one.state === 'new') stack.push(one);
    return links.length;
  }

  #leave(element: Element, stack: Element[]): void {
    stack.pop();
    if (element.state === 'open') this.#addUp(element);
    if (element.added > MAX_REFERENCED) this.#excess = TOO_MANY;
  }

  /** Adds up the sizes for an element, after those of all elements that it refers to. */
  #addUp(element: Element): void {
    const links = this.#linksOf(element);
    const by = (which: Manner) => links.filter(({ manner }) => manner === which).map(({ target }) => target);
    const [once, copies, paints, markers] = [by('once'), by('copied'), by('inherited'), by('points')];
    const copied = sum(copies, sizeOf);
    const points = element.shape.points + sum(copies, ({ allPoints }) => allPoints);
    element.state = 'done';
    element.written = sizeAlone(element) + sum(element.children, ({ written }) => written);
    element.elements = 1 + sum(element.children, ({ elements }) => elements);
    element.allPoints = points + sum(element.children, ({ allPoints }) => allPoints);
    element.added =
      sum(element.children, ({ added }) => added) +
      // A copy inherits fill, stroke and markers from its position in the tree.
      (copied + sum(once, sizeOf) + (1 + copied) * sum(paints, sizeOf) + points * sum(markers, sizeOf));
    element.uses = {
      // A reference that is inherited by "inherit" is also drawn for this element.
      once: [...once, ...paints.filter(({ name }) => name !== 'pattern')],
      copied: copies,
      paints,
      markers,
      points,
      shapes: (element.shape.isShape ? 1 : 0) + copied,
    };
    element.effects = this.#effectsOf(element);
    element.bounds = boundsOf(element, this.#canvas);
  }

  /** Everything that is drawn for an element in addition to its children. */
  #linksOf(element: Element): readonly Link[] {
    const own = this.#ownLinks(element).filter(({ manner }) => !isInherited(manner));
    return own.length === 0 ? this.#inheritedBy(element) : [...own, ...this.#inheritedBy(element)];
  }

  #inheritedBy(element: Element): readonly Link[] {
    if (element.inherited === undefined) {
      const around = element.parent === undefined ? NO_LINKS : this.#inheritedBy(element.parent);
      const own = this.#ownLinks(element).filter(({ manner }) => isInherited(manner));
      element.inherited = own.length === 0 ? around : [...around, ...own];
    }
    return element.inherited;
  }

  #effectsOf({ drawn, name, id, classes }: Element): readonly Effect[] {
    if (this.#rules.isEmpty) return drawn.effects;
    return [...drawn.effects, ...keysFor(name, id, classes).flatMap((key) => this.#rules.effectsOf(key))];
  }

  #ownLinks({ drawn, name, id, classes }: Element): readonly Link[] {
    const { references } = drawn;
    const all = this.#rules.isEmpty
      ? references
      : [...references, ...keysFor(name, id, classes).flatMap((key) => this.#rules.of(key))];
    if (all.length === 0) return NO_LINKS;
    const handsOn = this.#saysInherit || this.#rules.saysInherit;
    return all.flatMap((reference) => {
      const manner = reference.manner === 'once' && handsOn ? 'inherited' : reference.manner;
      return this.#targetsOf(reference.id).map((target) => ({ manner, target }));
    });
  }

  /** The elements with an id. An id may be percent-encoded: some programs decode it, others do not. */
  #targetsOf(id: string): Element[] {
    const ids = id.includes('%') ? [id, decoded(id)] : [id];
    return ids.flatMap((one) => {
      const target = this.#byId.get(one);
      return target === undefined || GRADIENTS.has(target.name) ? [] : [target];
    });
  }
}

/** The innermost element that is too expensive on its own. */
function dearest(root: Element, drawCost: DrawCost): Element {
  let at = root;
  for (let next: Element | undefined = root; next !== undefined; ) {
    at = next;
    next = at.children.find((child) => drawCost.costOf(child) > MAX_COST);
  }
  return at;
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** The keys of the rules that may apply to an element. */
function keysFor(name: string, id: string, classes: string): string[] {
  return ['*', name, `#${id}`, ...new Set(classes.split(/\s+/).map((one) => `.${one}`))];
}

function elementOf(tag: SaxesTagNS, line: number, parent: Element | undefined, canvas: Canvas): Element {
  const { id, class: classes, d, points } = tag.attributes;
  const drawn = drawnBy(tag);
  // Notes every effect, also after the first that moves the element.
  const moved = drawn.effects.filter((effect) => canvas.note(effect)).length > 0;
  if (GRADIENTS.has(tag.local)) canvas.noteGradient();
  const { shape, own, keepsUnits } = placeElement(tag, moved, pointsIn(d?.value ?? points?.value));
  const isRoot = parent === undefined;
  return {
    name: tag.local,
    line,
    id: id?.value ?? '',
    classes: classes?.value ?? '',
    shape,
    // The units of the root are those of its `viewBox`; a `transform` on it acts like CSS.
    own: isRoot && !moved && tag.attributes.transform === undefined ? IDENTITY : own,
    keepsUnits: isRoot || keepsUnits,
    step: /^fe|^(?:filter|pattern)$/.test(tag.local) ? valuesOf(tag) : undefined,
    drawn,
    parent,
    children: [],
    inherited: undefined,
    state: 'new',
    written: 1,
    elements: 1,
    added: 0,
    allPoints: 0,
    effects: drawn.effects,
    uses: NO_USES,
    bounds: NO_BOUNDS,
  };
}

function valuesOf({ attributes }: SaxesTagNS): Record<string, string> {
  return Object.fromEntries(Object.values(attributes).map(({ name, value }) => [name, value]));
}

function drawnBy({ attributes }: SaxesTagNS): Drawn {
  const all = Object.values(attributes).map(drawnByAttribute);
  const references = all.flatMap((one) => one.references);
  const effects = all.flatMap((one) => one.effects);
  return references.length + effects.length === 0 ? NOTHING_DRAWN : { references, effects };
}

function drawnByAttribute({ name, local, uri, value }: SaxesAttributeNS): Drawn {
  if (local === 'href' && (uri === '' || uri === XLINK)) {
    return { references: [{ id: value.slice(1), manner: 'copied' }], effects: [] };
  }
  if (uri !== '') return NOTHING_DRAWN;
  if (name === 'style') return readStyle(value);
  // Positions from attributes are evaluated; an element that CSS moves has an unknown position.
  return MOVES.has(name) ? NOTHING_DRAWN : readProperty(name, value);
}

/** The maximum number of points of a shape; 4 without a written outline. */
function pointsIn(outline: string | undefined): number {
  return outline === undefined ? 4 : (outline.match(/\d+|z/gi)?.length ?? 0);
}

/** Why the amount of drawing is unknown or certainly too large; undefined when it can be counted. */
function unboundedReason(
  element: Element,
  links: readonly Link[],
  next: readonly Element[],
): string | undefined {
  if (next.some(({ state }) => state === 'open')) return 'a circular reference';
  if (links.some(({ manner }) => manner === 'unknown')) return 'a url(…) in a CSS variable';
  const isLong = element.name === 'filter' && element.children.length > MAX_FILTER_STEPS;
  return isLong ? `a filter of more than ${MAX_FILTER_STEPS} steps` : undefined;
}

function isInherited(manner: Reference['manner']): boolean {
  return manner === 'inherited' || manner === 'points';
}

function sizeAlone({ name }: Element): number {
  return name.startsWith('fe') ? STEP_SIZE : 1;
}

function sizeOf({ written, added }: Element): number {
  return written + added;
}

function sum<T>(items: readonly T[], numberOf: (item: T) => number): number {
  return items.reduce((total, item) => total + numberOf(item), 0);
}
