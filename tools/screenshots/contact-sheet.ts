import type { Shot } from './take.ts';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const figure = ({ file, width, scheme, faults }: Shot): string =>
  `<figure><a href="${file}"><img src="${file}" alt="" loading="lazy"></a><figcaption>${width} ${scheme}</figcaption>${faults.length === 0 ? '' : `<ul>${faults.map((fault) => `<li>${escaped(fault)}</li>`).join('')}</ul>`}</figure>`;

/** A page with all screenshots, one row per view, and their faults. */
export function contactSheet(shots: readonly Shot[]): string {
  const rows = Map.groupBy(shots, ({ view, state }) => `${view}, ${state}`);
  const sections = [...rows].map(
    ([title, own]) => `<section><h2>${escaped(title)}</h2><div>${own.map(figure).join('')}</div></section>`,
  );
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Screenshots</title>
<style>
body { font: 14px/1.4 system-ui, sans-serif; margin: 1rem; background: #ddd; color: #111; }
section > div { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: start; }
figure { margin: 0; width: 12rem; } img { width: 100%; max-height: 20rem; object-fit: cover; object-position: top; background: #fff; }
li { color: #a00; overflow-wrap: anywhere; }
</style>
<h1>${shots.length} screenshots, ${shots.filter(({ faults }) => faults.length > 0).length} with faults</h1>
${sections.join('\n')}
</html>
`;
}
