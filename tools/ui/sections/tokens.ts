import { type DrawIcon, part, section } from '../markup.ts';

/** The names that a style sheet declares, each once, in their order. */
function namesIn(css: string): string[] {
  const declared = css.split('\n').map((line) => line.trim());
  const names = declared.filter((line) => line.startsWith('--')).map((line) => line.split(':')[0] ?? '');
  return [...new Set(names)];
}

type Kind = { title: string; is: (name: string) => boolean; show: (name: string) => string };

const sample = (style: string, text = ''): string =>
  `<span class="ui-sample" style="${style}">${text}</span>`;

const starts =
  (...starts: readonly string[]) =>
  (name: string) =>
    starts.some((start) => name.startsWith(start));

/** How each kind of token is shown; what no other kind takes is a colour. */
const KINDS: readonly Kind[] = [
  {
    title: 'Fonts',
    is: (name) => ['--font', '--mono'].includes(name),
    show: (name) => `<span style="font-family:var(${name})">Quick notes, 0123456789, Größe</span>`,
  },
  {
    title: 'Type scale',
    is: starts('--text-'),
    show: (name) => `<span style="font-size:var(${name})">Quick notes</span>`,
  },
  { title: 'Space', is: starts('--space-'), show: (name) => sample(`width:var(${name})`) },
  {
    title: 'Radius',
    is: starts('--radius', '--round'),
    show: (name) => sample(`width:3rem;height:3rem;border-radius:var(${name})`),
  },
  {
    title: 'Shadow',
    is: starts('--shadow-'),
    show: (name) => sample(`width:5rem;height:3rem;background:var(--card);box-shadow:var(${name})`),
  },
  {
    title: 'Motion',
    is: (name) => ['--quick', '--calm'].includes(name),
    show: (name) =>
      `<button type="button" class="ui-moves" style="transition-duration:var(${name})">Point here</button>`,
  },
  {
    title: 'Colours',
    is: () => true,
    show: (name) => sample(`width:4rem;height:2rem;background:var(${name})`),
  },
];

const row = (name: string, shown: string): string =>
  `<tr><th scope="row"><code>${name}</code></th><td>${shown}</td></tr>`;

/** A table of one kind; colours are shown in both schemes, whatever the page has. */
function table({ title, show }: Kind, names: readonly string[]): string {
  const isColour = title === 'Colours';
  const heads = isColour ? ['Token', 'Light', 'Dark'] : ['Token', 'Sample'];
  const body = names.map((name) =>
    isColour
      ? `<tr><th scope="row"><code>${name}</code></th><td class="ui-light">${show(name)}</td><td class="ui-dark">${show(name)}</td></tr>`
      : row(name, show(name)),
  );
  const head = heads.map((text) => `<th scope="col">${text}</th>`).join('');
  return `<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table class="data-table"><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
}

/** Every token, read from the style sheet itself: a new one is here by itself. */
export function tokens(css: string): string {
  const left = new Set(namesIn(css));
  const parts = KINDS.map((kind) => {
    const own = [...left].filter(kind.is);
    for (const name of own) left.delete(name);
    return part(kind.title, table(kind, own));
  });
  return section('tokens', 'Tokens', ...parts);
}

/** Every icon under its name. */
export const icons = (names: readonly string[], icon: DrawIcon): string =>
  section(
    'icons',
    'Icons',
    `<ul class="ui-icons">${names.map((name) => `<li>${icon(name)} <code>${name}</code></li>`).join('')}</ul>`,
  );
