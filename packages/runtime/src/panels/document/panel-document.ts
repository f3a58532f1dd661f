import { type Document, Element, type ParentNode, Text } from 'domhandler';
import { DomUtils, parseDocument } from 'htmlparser2';
import { RuntimeError } from '../../platform/runtime-error.ts';
import { dataUrl, typeOfPath } from '../content-types.ts';
import { contentHash, documentPolicy, documentSources } from '../policy.ts';
import type { ServedPanel } from '../serve-panel.ts';
import { HOST_SCRIPT, type HostLink } from './host-script.ts';
import { linkModules, pathFrom } from './link-modules.ts';

/** Longest document, in characters. */
const MAX_DOCUMENT = 8 * 1024 * 1024;

/** A panel as one document, for a host of MCP Apps. */
export type PanelDocument = {
  html: string;
  /** The origins that it connects to and shows pictures of, from the signed domains (MCP Apps, `_meta.ui.csp`). */
  csp: { connectDomains: string[]; resourceDomains: string[] };
};

type Files = ServedPanel['files'];

/** The page of a panel, and the files of its bundle. */
export type PanelFiles = { app: { appId: string; version: string }; entry: string; files: Files };

function textOf(files: Files, path: string | null): string | undefined {
  const bytes = path === null ? undefined : files.get(path);
  return bytes && Buffer.from(bytes).toString('utf8');
}

/** A file of the bundle as an address that has its bytes. */
function inlineAddress(files: Files, path: string | null): string | undefined {
  const bytes = path === null ? undefined : files.get(path);
  return path === null || !bytes ? undefined : dataUrl(typeOfPath(path).replace(/;.*/, ''), bytes);
}

/** An address of a style sheet, without its quotes. */
const unquoted = (text: string): string => text.trim().replaceAll(/["']/g, '');

/** A style sheet with the files that it names written into it. */
function inlineStyles(files: Files, path: string, seen: readonly string[] = []): string {
  const css = textOf(files, path) ?? '';
  const imported = css.replace(/@import ([^@;]+);/g, (whole, rule: string) => {
    const [address = '', ...media] = rule.replace('url(', '').replace(')', '').trim().split(' ');
    const at = pathFrom(path, unquoted(address));
    if (at === null || seen.includes(at) || !files.has(at)) return whole;
    const inner = inlineStyles(files, at, [...seen, path]);
    return media.length === 0 ? inner : `@media ${media.join(' ')} {${inner}}`;
  });
  return imported.replace(/url\(([^()]+)\)/g, (whole, address: string) => {
    const data = inlineAddress(files, pathFrom(path, unquoted(address)));
    return data ? `url(${data})` : whole;
  });
}

function element(name: string, attributes: Record<string, string>, text = ''): Element {
  const made = new Element(name, attributes);
  if (text !== '') DomUtils.appendChild(made, new Text(text));
  return made;
}

/** In a script element, `</script` and `<!--` would end or change it (HTML, "Restrictions for contents of script elements"). */
const inScript = (code: string): string => code.replaceAll(/<(?=\/script|!--|script)/gi, '\\x3C');

/** The script of the bundle that an element names, as an element without an address; null for one that does not run in a panel either. */
function inlineScript({ files, entry }: PanelFiles, { attribs }: Element): Element | null {
  const path = attribs.src === undefined ? null : pathFrom(entry, attribs.src);
  const code = textOf(files, path);
  if (path === null || code === undefined) return null;
  const isModule = attribs.type === 'module';
  const text = isModule ? linkModules(path, (from) => textOf(files, from)) : code;
  return element('script', isModule ? { type: 'module' } : {}, inScript(text));
}

/** What takes the place of a script or a link; null where nothing does, and the element itself where it stays. */
function replacementOf(panel: PanelFiles, node: Element): Element | null {
  const { files, entry } = panel;
  const { name, attribs } = node;
  if (name === 'script') {
    const isCode = /^(?:module|text\/javascript|importmap)?$/.test(attribs.type ?? '');
    return inlineScript(panel, node) ?? (isCode ? null : node);
  }
  const path = pathFrom(entry, attribs.href ?? '');
  if (attribs.rel !== 'stylesheet' || path === null || !files.has(path)) return null;
  return element('style', {}, inlineStyles(files, path).replaceAll('</', '<\\/'));
}

function inlineElement(panel: PanelFiles, node: Element): void {
  if (node.name === 'script' || node.name === 'link') {
    const replacement = replacementOf(panel, node);
    if (replacement === null) DomUtils.removeElement(node);
    else if (replacement !== node) DomUtils.replaceElement(node, replacement);
    return;
  }
  for (const attribute of ['src', 'poster']) {
    const address = node.attribs[attribute];
    const data = address ? inlineAddress(panel.files, pathFrom(panel.entry, address)) : undefined;
    if (data) node.attribs[attribute] = data;
  }
}

const isElement = (node: { type: string }): node is Element => 'attribs' in node;

/** The element of this name, which is added where the page leaves it out. */
function partOf(parent: ParentNode, name: string): Element {
  const found = parent.children.filter(isElement).find((child) => child.name === name);
  if (found) return found;
  const added = element(name, {});
  const [first] = parent.children;
  if (first) DomUtils.prepend(first, added);
  else DomUtils.appendChild(parent, added);
  return added;
}

function parsedOf({ files, entry }: PanelFiles): Document {
  const html = textOf(files, entry);
  if (html === undefined) throw new RuntimeError('unknown-panel');
  return parseDocument(html);
}

/**
 * Writes a panel and the files of its bundle into one document, with the script that connects it to a host. Files that scripts load by
 * their addresses are not in it.
 * @param policyOf its content security policy, for the hashes of its scripts, which are all from the bundle
 * @throws RuntimeError `not-offered` for a panel that cannot be one document
 */
export function oneDocument(
  panel: PanelFiles,
  link: HostLink,
  policyOf: (hashes: readonly string[]) => string,
): string {
  const page = parsedOf(panel);
  for (const node of DomUtils.findAll(() => true, page.children)) inlineElement(panel, node);
  const { appId, version } = panel.app;
  const script = element(
    'script',
    { 'data-link': JSON.stringify({ ...link, app: appId, version }) },
    inScript(HOST_SCRIPT),
  );
  const scripts = [script, ...DomUtils.getElementsByTagName('script', page)];
  const hashes = scripts.map((one) => contentHash(DomUtils.textContent(one)));
  const head = partOf(page.children.filter(isElement).find(({ name }) => name === 'html') ?? page, 'head');
  const policy = element('meta', { 'http-equiv': 'content-security-policy', content: policyOf(hashes) });
  for (const added of [script, policy, element('meta', { charset: 'utf-8' })]) {
    const [first] = head.children;
    if (first) DomUtils.prepend(first, added);
    else DomUtils.appendChild(head, added);
  }
  const html = DomUtils.getOuterHTML(page, { encodeEntities: 'utf8' });
  if (html.length > MAX_DOCUMENT) throw new RuntimeError('too-large');
  return html;
}

/**
 * Writes a panel as one document, as `oneDocument` does. Its policy is that of a panel: only the scripts of the bundle run, by their hashes,
 * and it connects to the signed domains only, whatever the host allows beyond them.
 * @throws RuntimeError `not-offered` for a panel that cannot be one document
 */
export const panelDocument = (panel: ServedPanel, link: HostLink): PanelDocument => ({
  html: oneDocument(panel, link, (hashes) => documentPolicy(panel, hashes)),
  csp: documentSources(panel),
});
