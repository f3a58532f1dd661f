/**
 * How what is referred to is drawn: `copied` into the drawing, `once` for the element that refers to it, once for that
 * element and each one inside of it (`inherited`), or at each of their points. `unknown` when CSS hides it in a variable.
 */
export type Manner = 'copied' | 'once' | 'inherited' | 'points' | 'unknown';
export type Reference = { readonly id: string; readonly manner: Manner };

/** More references than this in style sheets belong to no still picture. */
const MOST_RULES = 20_000;
/** Brackets within each other in a selector, and rules within each other, with room. */
const DEEPEST_SELECTOR = 10;
const DEEPEST_RULE = 20;

/** What CSS gives a meaning of its own, and each `url(#id)`. Only for CSS that was found safe: nothing in it is left open. */
const OPAQUE = /\/\*[\s\S]*?\*\/|"[^"]*"|'[^']*'|url\(\s*["']?#([^\s"'#()<>/]+)["']?\s*\)/gi;

export const INHERIT = /\binherit\b/i;

/** What style sheets refer to, by what an element must have at least to be meant: `.class`, `#id`, its name, or `*`. */
export class StyleRules {
  /** Why nobody can say what some rule is about; undefined when all are clear. */
  unclear: string | undefined;
  /** Whether something takes over what is around it, even where that is not handed on by itself. */
  saysInherit = false;
  readonly #references = new Map<string, Reference[]>();
  #count = 0;

  get isEmpty(): boolean {
    return this.#references.size === 0;
  }

  of(key: string): readonly Reference[] {
    return this.#references.get(key) ?? [];
  }

  /** Adds the rules of a style sheet that has been found safe. Rules nest; a declaration belongs to the innermost one. */
  read(css: string): void {
    this.saysInherit ||= INHERIT.test(css);
    const { text, ids } = withoutOpaque(css);
    if (ids.length === 0) return;
    this.unclear ??= whyUnclear(text);
    if (this.unclear !== undefined) return;
    const blocks: Block[] = [];
    let pending = '';
    for (const [token] of text.matchAll(/[{}]|[^{}]+/g)) {
      if (token === '{') {
        const cut = pending.lastIndexOf(';') + 1;
        this.#add(blocks.at(-1), pending.slice(0, cut), ids);
        blocks.push(blockOf(pending.slice(cut), blocks.at(-1)));
      } else if (token === '}') this.#add(blocks.pop(), pending, ids);
      pending = token === '{' || token === '}' ? '' : token;
    }
    this.#add(blocks.at(-1), pending, ids);
  }

  #add(block: Block | undefined, declarations: string, ids: readonly string[]): void {
    const references = referencesIn(declarations, ids);
    const keys = block?.keys ?? ['*'];
    this.#count += keys.length * references.length;
    if (this.#count > MOST_RULES) this.unclear ??= `more than ${MOST_RULES} references in style sheets`;
    if (references.length === 0 || this.unclear !== undefined) return;
    for (const key of keys) {
      const known = this.#references.get(key);
      if (known === undefined) this.#references.set(key, [...references]);
      else known.push(...references);
    }
  }
}

/** Why it cannot be told where a rule of this CSS ends; undefined when it can. */
function whyUnclear(text: string): string | undefined {
  let brackets = 0;
  let braces = 0;
  for (const [sign] of text.matchAll(/[()[\]{}]/g)) {
    if (sign === '(' || sign === '[') brackets += 1;
    else if (sign === ')' || sign === ']') brackets = Math.max(0, brackets - 1);
    else if (brackets > 0) return 'CSS with a brace between brackets';
    if (sign === '{') braces += 1;
    if (sign === '}') braces = Math.max(0, braces - 1);
    if (braces > DEEPEST_RULE) return `more than ${DEEPEST_RULE} CSS rules within each other`;
  }
  return undefined;
}

/** The references in the value of a `style` attribute that has been found safe. */
export function referencesOfStyle(style: string): Reference[] {
  const { text, ids } = withoutOpaque(style);
  return referencesIn(text, ids);
}

/** The references in the value of a presentation attribute or property that has been found safe. */
export function referencesOfProperty(name: string, value: string): Reference[] {
  const { text, ids } = withoutOpaque(value);
  return referencesIn(`${name}:${text}`, ids);
}

/** A block of CSS in braces: whom its declarations are about; steps of an animation are about whoever plays it. */
type Block = { readonly keys: readonly string[]; readonly isAnimation: boolean };

function blockOf(prelude: string, around: Block | undefined): Block {
  const isAnimation = around?.isAnimation === true || /^\s*@(?:-webkit-)?keyframes\b/i.test(prelude);
  const isGroup = prelude.trimStart().startsWith('@');
  return { keys: isAnimation || isGroup ? ['*'] : keysOf(prelude), isAnimation };
}

/** What the last element of each selector must have at least. */
function keysOf(selectors: string): string[] {
  let plain = selectors.replace(/\[[^\]]*\]/g, '');
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
  // The last of several: people write `.icon.back`, not `.back.icon`.
  const part = compound.match(/[.#][^.#:&*|]+/g)?.at(-1);
  const [, name] = /(?:^|\|)([a-z][\w-]*)/i.exec(compound) ?? [];
  return part ?? name ?? '*';
}

/** Takes away comments and strings, and puts numbers for the ids, which may hold what means something in CSS. */
function withoutOpaque(css: string): { text: string; ids: string[] } {
  const ids: string[] = [];
  const text = css.replace(OPAQUE, (_match, id: string | undefined) =>
    id === undefined ? ' ' : `url(${ids.push(id) - 1})`,
  );
  return { text, ids };
}

function referencesIn(declarations: string, ids: readonly string[]): Reference[] {
  return declarations.split(';').flatMap((declaration) => {
    const colon = declaration.indexOf(':');
    const manner = mannerOf(declaration.slice(0, colon).trim().toLowerCase());
    return [...declaration.slice(colon + 1).matchAll(/url\((\d+)\)/g)].map(([, index]) => {
      return { id: ids[Number(index)] ?? '', manner };
    });
  });
}

function mannerOf(property: string): Manner {
  if (property.startsWith('--')) return 'unknown';
  if (property.startsWith('marker')) return 'points';
  return property === 'fill' || property === 'stroke' ? 'inherited' : 'once';
}
