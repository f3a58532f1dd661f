import { unsafeDeclarationReason } from './css-properties.ts';

/**
 * How a referenced element is drawn: `copied` into the drawing, `once` for the element that refers to it, once for that
 * element and each of its descendants (`inherited`), or at each of their `points`. `unknown` in a CSS variable.
 */
export type Manner = 'copied' | 'once' | 'inherited' | 'points' | 'unknown';
export type Reference = { readonly id: string; readonly manner: Manner };

/** A declaration that affects drawing without a reference. */
export type Effect = { readonly property: string; readonly value: string };
/** The references and effects of declarations. */
export type Drawn = { readonly references: readonly Reference[]; readonly effects: readonly Effect[] };
export const NOTHING_DRAWN: Drawn = { references: [], effects: [] };

/** Maximum number of references in style sheets; no real still image has more. */
const MAX_RULES = 20_000;
/** Maximum nesting of brackets in a selector, and of rules. */
const DEEPEST_SELECTOR = 10;
const DEEPEST_RULE = 20;

/** Comments, strings, and each `url(#id)`. Only for CSS that `unsafeCssReason` accepted, in which all of these are closed. */
const OPAQUE =
  /\/\*[\s\S]*?(?:\*\/|$)|"[^"]*(?:"|$)|'[^']*(?:'|$)|url\(\s*["']?#([^\s"'#()<>/]+)["']?\s*\)/gi;

/** Properties that have a cost of their own; of all others only references count. */
const EFFECTS: ReadonlySet<string> = new Set(
  `opacity mix-blend-mode isolation filter clip-path mask stroke stroke-width stroke-dasharray fill-rule clip-rule
  transform transform-origin transform-box x y cx cy r rx ry width height`.split(/\s+/),
);

/** `a + b` and `a ~ b`: with these, every element is compared with all its previous siblings. */
const SIBLINGS = /[+~](?!=)/;

export const INHERIT = /\binherit\b/i;

/** The references of style sheets, by a condition that every matching element has: `.class`, `#id`, a name, or `*`. */
export class StyleRules {
  /** Why the targets of some rule are unknown; undefined when all are known. */
  unclear: string | undefined;
  /** Whether a declaration has the value "inherit", which also inherits properties that are not inherited by default. */
  saysInherit = false;
  readonly #references = new Map<string, Reference[]>();
  readonly #effects = new Map<string, Effect[]>();
  #count = 0;
  #selectors = 0;

  get isEmpty(): boolean {
    return this.#references.size === 0 && this.#effects.size === 0;
  }

  /** Total number of selectors; each may be matched against each element. */
  get selectors(): number {
    return this.#selectors;
  }

  of(key: string): readonly Reference[] {
    return this.#references.get(key) ?? [];
  }

  effectsOf(key: string): readonly Effect[] {
    return this.#effects.get(key) ?? [];
  }

  noteEffects(note: (effect: Effect) => unknown): void {
    for (const effects of this.#effects.values()) for (const effect of effects) note(effect);
  }

  /** Adds the rules of a style sheet that `unsafeCssReason` accepted. Rules nest; a declaration belongs to the innermost rule. */
  read(css: string): void {
    this.saysInherit ||= INHERIT.test(css);
    const { text, ids } = withoutOpaque(css);
    this.unclear ??= unclearReason(text);
    if (this.unclear !== undefined) return;
    const blocks: Block[] = [];
    let pending = '';
    for (const [token] of text.matchAll(/[{}]|[^{}]+/g)) {
      if (token === '{') {
        const cut = pending.lastIndexOf(';') + 1;
        this.#add(blocks.at(-1), pending.slice(0, cut), ids);
        blocks.push(this.#block(pending.slice(cut)));
      } else if (token === '}') this.#add(blocks.pop(), pending, ids);
      pending = token === '{' || token === '}' ? '' : token;
    }
    this.#add(blocks.at(-1), pending, ids);
  }

  #block(prelude: string): Block {
    const keys = prelude.trimStart().startsWith('@') ? ['*'] : keysOf(prelude);
    this.#selectors += keys.length;
    if (SIBLINGS.test(prelude)) this.unclear ??= 'CSS that asks for the sibling of an element';
    return { keys };
  }

  #add(block: Block | undefined, declarations: string, ids: readonly string[]): void {
    const { references, effects, why } = readDeclarations(declarations, ids);
    this.unclear ??= why;
    const keys = block?.keys ?? ['*'];
    this.#count += keys.length * (references.length + effects.length);
    if (this.#count > MAX_RULES) this.unclear ??= `more than ${MAX_RULES} references in style sheets`;
    if (this.unclear !== undefined) return;
    for (const key of keys) {
      if (references.length > 0) addTo(this.#references, key, references);
      if (effects.length > 0) addTo(this.#effects, key, effects);
    }
  }
}

function addTo<T>(map: Map<string, T[]>, key: string, items: readonly T[]): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [...items]);
  else for (const item of items) known.push(item);
}

/** Why the ends of the rules in this CSS are unclear; undefined when they are clear. */
function unclearReason(text: string): string | undefined {
  let brackets = 0;
  let braces = 0;
  for (const [sign] of text.matchAll(/[()[\]{}]/g)) {
    if (sign === '(' || sign === '[') brackets += 1;
    else if (sign === ')' || sign === ']') brackets = Math.max(0, brackets - 1);
    else if (brackets > 0) return 'CSS with a brace between brackets';
    if (sign === '{') braces += 1;
    if (sign === '}') braces = Math.max(0, braces - 1);
    if (braces > DEEPEST_RULE) return `more than ${DEEPEST_RULE} nested CSS rules`;
  }
  return undefined;
}

/** Reads a `style` attribute that `unsafeCssReason` accepted: its references and effects, and why it may be harmful. */
export function readStyle(style: string): Reading {
  const { text, ids } = withoutOpaque(style);
  return readDeclarations(text, ids);
}

/** Reads a presentation attribute that `unsafeCssReason` accepted: its references and effects. */
export function readProperty(name: string, value: string): Drawn {
  const { text, ids } = withoutOpaque(value);
  return readDeclaration(name, text, ids);
}

/** A CSS block in braces, with the elements that its declarations apply to. */
type Block = { readonly keys: readonly string[] };
type Reading = Drawn & { readonly why: string | undefined };

/** For each selector, a condition that every matching element has. */
function keysOf(selectors: string): string[] {
  let plain = selectors.replace(/\[[^[\]]*\]/g, '');
  for (let depth = 0; /[()]/.test(plain); depth += 1) {
    if (depth === DEEPEST_SELECTOR) return ['*'];
    plain = plain.replace(/\([^()]*\)/g, '');
  }
  return plain.split(',').map((selector) =>
    keyOf(
      selector
        .trim()
        .split(/[\s>+~]+/)
        .at(-1) ?? '',
    ),
  );
}

function keyOf(compound: string): string {
  // The last of several is the most specific: authors write `.icon.back`, not `.back.icon`.
  const part = compound.match(/[.#][^.#:&*|]+/g)?.at(-1);
  const [, name] = /(?:^|\|)([a-z][\w-]*)/i.exec(compound) ?? [];
  return part ?? name ?? '*';
}

/** Removes comments and strings, and replaces ids, which may contain syntax characters, by numbers. */
function withoutOpaque(css: string): { text: string; ids: string[] } {
  const ids: string[] = [];
  const text = css.replace(OPAQUE, (_match, id: string | undefined) =>
    id === undefined ? ' ' : `url(${ids.push(id) - 1})`,
  );
  return { text, ids };
}

function readDeclarations(declarations: string, ids: readonly string[]): Reading {
  const references: Reference[] = [];
  const effects: Effect[] = [];
  for (const declaration of declarations.split(';')) {
    const colon = declaration.indexOf(':');
    const property = declaration.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (property === '') continue;
    const value = declaration.slice(colon + 1).trim();
    const why = unsafeDeclarationReason(property, value);
    if (why !== undefined) return { references, effects, why };
    const drawn = readDeclaration(property, value, ids);
    references.push(...drawn.references);
    effects.push(...drawn.effects);
  }
  return { references, effects, why: undefined };
}

function readDeclaration(property: string, value: string, ids: readonly string[]): Drawn {
  const manner = mannerOf(property);
  const references = [...value.matchAll(/url\((\d+)\)/g)].map(([, index]) => {
    return { id: ids[Number(index)] ?? '', manner };
  });
  return { references, effects: EFFECTS.has(property) ? [{ property, value }] : [] };
}

function mannerOf(property: string): Manner {
  if (property.startsWith('--')) return 'unknown';
  if (property.startsWith('marker')) return 'points';
  return property === 'fill' || property === 'stroke' ? 'inherited' : 'once';
}
