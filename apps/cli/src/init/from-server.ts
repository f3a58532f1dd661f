import type { Issue } from '@svc/contracts';
import { isThisMachine } from '@svc/contracts/this-machine';
import { LIMITS, REMOTE_TOOL_NAME } from '@svc/contracts/vocabulary';
import type { ServerSurvey, SurveyedPage } from '@svc/runtime/parts';
import { cleanLine } from '@svc/text';
import { validateManifest } from '@svc/validator';
import type { Answers } from './answers.ts';
import { problemWith } from './ask.ts';
import { ACCOUNT_ID, manifestOf } from './manifest.ts';

/** A page whose scripts and styles are files. */
type SplitPage = { html: string; files: ReadonlyMap<string, string> };

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

/** An app made from an MCP server: the manifest, the pages, and sentences about what was renamed or cut. */
export type FromServer = {
  manifest: Record<string, unknown>;
  pages: ReadonlyMap<string, string>;
  changes: readonly string[];
};

type Tool = { id: string; remoteName?: string; name: string; description: string; account?: string };
type Panel = { id: string; title: string; component: 'webview'; config: { entry: string } };

const MAX_SCOPES = 20;

/** The words of a text in characters allowed in ids, joined. */
function slugOf(text: string, separator: string, maxLength: number): string {
  const words = text
    .slice(0, 4 * maxLength)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .normalize('NFKD')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const joined = words.join(separator).slice(0, maxLength);
  return joined.endsWith(separator) ? joined.slice(0, -separator.length) : joined;
}

/** A valid, unused id for a tool: its name where that is one. */
function toolId(name: string, usedIds: ReadonlySet<string>): string {
  const max = LIMITS.tool.id;
  const slug = /^[a-z][a-z0-9_]*$/.test(name) ? name.slice(0, max) : slugOf(name, '_', max);
  const base = /^[a-z]/.test(slug) ? slug : `t_${slug}`.slice(0, max);
  let id = base;
  for (let n = 2; usedIds.has(id); n += 1) id = `${base.slice(0, max - 4)}_${n}`;
  return id;
}

/** Notes what is missing or cut in the description of a tool. */
function noteDescription(id: string, description: string, summary: string, changes: string[]): void {
  if (summary === '') changes.push(`The tool "${id}" has no description. Describe what it does.`);
  else if (summary.endsWith('…') && !description.trim().endsWith('…'))
    changes.push(`Cut the description of the tool "${id}" to ${LIMITS.tool.description} characters.`);
}

/** The tools of the manifest. Appends a sentence to `changes` for every difference from the server. */
function toolsOf(survey: ServerSurvey, changes: string[]): Tool[] {
  const served = new Map((survey.tools ?? []).map((tool) => [tool.name, tool]));
  // Names that are ids come first, so that no other tool takes them.
  const ids = new Set([...served.keys()].filter((name) => /^[a-z][a-z0-9_]{0,47}$/.test(name)));
  const tools: Tool[] = [];
  for (const { name, title = '', description = '' } of served.values()) {
    if (!REMOTE_TOOL_NAME.test(name)) {
      changes.push(
        `Left out the tool ${JSON.stringify(cleanLine(name, 100))}: MCP does not allow its name (1 to ${LIMITS.tool.remoteName} letters, digits, "_", "-" and ".").`,
      );
      continue;
    }
    const id = ids.has(name) ? name : toolId(name, ids);
    ids.add(id);
    const label = cleanLine(title, LIMITS.tool.name) || cleanLine(name, LIMITS.tool.name);
    const summary = cleanLine(description, LIMITS.tool.description);
    noteDescription(id, description, summary, changes);
    tools.push({
      id,
      ...(id !== name && { remoteName: name }),
      name: label || id,
      description: summary || label || id,
      ...(survey.signIn && { account: ACCOUNT_ID }),
    });
  }
  return tools;
}

/** Converts a page of the server to a panel, with its files. */
function panelOf(page: SurveyedPage, usedIds: ReadonlySet<string>, changes: string[]) {
  const base = slugOf(page.title || page.uri.slice('ui://'.length), '-', LIMITS.panel.id - 3) || 'panel';
  let id = base;
  for (let n = 2; usedIds.has(id); n += 1) id = `${base}-${n}`;
  const { html, files } = splitPage(page.html, id);
  const title = cleanLine(page.title, LIMITS.panel.title) || id;
  if (files.size > 0)
    changes.push(
      `Moved ${files.size} inline scripts of the panel "${id}" to files: panels do not run inline scripts.`,
    );
  const entry = `ui/${id}.html`;
  const panel: Panel = { id, title, component: 'webview', config: { entry } };
  return {
    panel,
    files: new Map([[entry, html], ...Array.from(files, ([name, text]) => [`ui/${name}`, text] as const)]),
  };
}

/** The hosts that the pages connect to. */
function domainsOf(pages: readonly SurveyedPage[]): string[] {
  const hosts = pages.flatMap(({ domains }) => domains.map((origin) => URL.parse(origin)?.hostname ?? ''));
  return [...new Set(hosts.filter(Boolean))].slice(0, LIMITS.remote.domains);
}

/** The lists of the manifest from which refused items are removed. */
const LISTS = [
  { list: (manifest: Parts) => manifest.contributes.tools, path: '/contributes/tools/', kind: 'tool' },
  { list: (manifest: Parts) => manifest.contributes.panels, path: '/contributes/panels/', kind: 'panel' },
  { list: (manifest: Parts) => manifest.remote.domains, path: '/remote/domains/', kind: 'host' },
];

type Parts = {
  remote: { domains: unknown[] };
  contributes: { tools: unknown[]; panels: unknown[] };
};

/** Removes list items that the store would refuse, and reports why. @returns whether any was removed */
function dropRefused(manifest: Parts, issues: readonly Issue[], changes: string[]): boolean {
  let dropped = false;
  for (const { list, path, kind } of LISTS) {
    const refused = new Map<number, string>();
    for (const issue of issues)
      if (issue.path.startsWith(path))
        refused.set(Number.parseInt(issue.path.slice(path.length), 10), issue.message);
    for (const [index, message] of [...refused].sort(([a], [b]) => b - a)) {
      if (list(manifest).splice(index, 1).length === 0) continue;
      changes.push(`Left out a ${kind}: ${message}`);
      dropped = true;
    }
  }
  return dropped;
}

/** The labels of a host in reverse, as in ids: `mcp.example.com` gives `com.example.mcp`. */
function reversedHost(host: string): string[] {
  return host
    .split('.')
    .reverse()
    .map((label) => slugOf(label, '-', 20))
    .filter((label) => /^[a-z]/.test(label));
}

/** The answers that can be derived from a server, limited to those that the store accepts. */
export function answersFrom(survey: ServerSurvey): Partial<Answers> {
  const { hostname } = new URL(survey.url);
  const name = cleanLine(survey.title || survey.name, LIMITS.manifest.name);
  const labels = reversedHost(hostname);
  const candidates = {
    name,
    id: labels.length > 1 ? labels.join('.') : `com.example.${slugOf(name, '-', 30) || 'app'}`,
    publisher: labels[1] ?? 'example',
    // Not the instructions of the server: those are for models, and users read the description.
    description: `The tools of ${name || hostname}.`,
  };
  const valid = Object.entries(candidates).filter(
    ([field, value]) => value !== '' && problemWith(field as keyof typeof candidates, value) === undefined,
  );
  return {
    ...Object.fromEntries(valid),
    mcpUrl: survey.url,
    account: survey.signIn ? 'mcp' : 'none',
    panel: false,
    template: 'app',
  };
}

/** Creates the manifest for an MCP server, without errors in the checks, and the pages of its panels. */
export function fromServer(survey: ServerSurvey, answers: Answers, store: string): FromServer {
  const changes = [...survey.notes];
  const tools = toolsOf(survey, changes);
  const files = new Map<string, string>();
  const panels: Panel[] = [];
  for (const page of survey.pages) {
    const converted = panelOf(page, new Set(panels.map(({ id }) => id)), changes);
    panels.push(converted.panel);
    for (const [name, text] of converted.files) files.set(name, text);
  }
  if (panels.length > 0)
    changes.push(
      'The panels use MCP Apps window messages. Connect them to the client with connectPanel (docs/panels).',
    );
  const manifest = manifestOf(answers, store) as Record<string, unknown> &
    Parts & { accounts?: { scopes: string[] }[] };
  manifest.remote.domains = domainsOf(survey.pages);
  manifest.contributes = { ...manifest.contributes, tools, panels };
  const [account] = manifest.accounts ?? [];
  if (account && survey.signIn) account.scopes = survey.signIn.scopes.slice(0, MAX_SCOPES);
  if (survey.signIn?.host === null)
    changes.push('The server requires a token but does not advertise its authorization server (RFC 9728).');
  const check = () => validateManifest(manifest, { mode: isLocal(survey.url) ? 'dev' : 'store' });
  while (
    dropRefused(
      manifest,
      check().filter(({ level }) => level === 'error'),
      changes,
    )
  );
  const entries = new Set((manifest.contributes.panels as Panel[]).map(({ config }) => config.entry));
  if (entries.size === 0) delete (manifest.contributes as Partial<Parts['contributes']>).panels;
  const used = [...files].filter(([name]) => !name.endsWith('.html') || entries.has(name));
  return { manifest, pages: new Map(used), changes };
}

/** Whether a server is on this machine. */
export const isLocal = (url: string): boolean => isThisMachine(new URL(url).hostname);
