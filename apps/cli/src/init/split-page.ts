/** A page whose scripts and styles are files. */
export type SplitPage = { html: string; files: ReadonlyMap<string, string> };

const SCRIPT = '<script';
const END = '</script';

/** The offset of the `>` that ends a start tag, outside quotes; -1 when there is none. */
function endOfTag(html: string, from: number): number {
  let quote = '';
  for (let at = from; at < html.length; at += 1) {
    const character = html.charAt(at);
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at;
  }
  return -1;
}

/** Whether a script element holds inline JavaScript. */
function isInline(attributes: string): boolean {
  const words = attributes.toLowerCase();
  const isData = words.includes('json') || words.includes('importmap');
  return !words.includes('src=') && !isData;
}

/**
 * Moves the inline scripts of a page into files: a panel does not run inline scripts. One pass from left to right; a script ends
 * where browsers end it (HTML, section 13.2.5.16), except for scripts with a comment around another script.
 * @param name file name without extension
 */
export function splitPage(html: string, name: string): SplitPage {
  const files = new Map<string, string>();
  const lower = html.toLowerCase();
  const output: string[] = [];
  let done = 0;
  for (let at = lower.indexOf(SCRIPT); at >= 0; at = lower.indexOf(SCRIPT, done)) {
    const tagEnd = endOfTag(html, at + SCRIPT.length);
    const close = tagEnd < 0 ? -1 : lower.indexOf(END, tagEnd);
    if (close < 0) break;
    const attributes = html.slice(at + SCRIPT.length, tagEnd);
    const script = html.slice(tagEnd + 1, close);
    const end = html.indexOf('>', close);
    if (end < 0) break;
    output.push(html.slice(done, at));
    if (isInline(attributes) && script.trim() !== '') {
      const file = `${name}-${files.size + 1}.js`;
      files.set(file, script);
      output.push(`<script${attributes} src="${file}"></script>`);
    } else output.push(html.slice(at, end + 1));
    done = end + 1;
  }
  output.push(html.slice(done));
  return { html: output.join(''), files };
}
