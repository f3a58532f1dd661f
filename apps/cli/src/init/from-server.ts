import type { Issue } from '@svc/contracts';
import { LIMITS } from '@svc/contracts/vocabulary';
import type { ServerSurvey, SurveyedPage } from '@svc/runtime/parts';
import { cleanLine } from '@svc/text';
import { validateManifest } from '@svc/validator';
import type { Answers } from './answers.ts';
import { problemWith } from './check-answer.ts';
import { ACCOUNT_ID, manifestOf } from './manifest.ts';
import { splitPage } from './split-page.ts';

/** What was made of a server's words: a manifest, pages, and what had to be renamed or cut, in sentences. */
export type FromServer = {
  manifest: Record<string, unknown>;
  pages: ReadonlyMap<string, string>;
  changes: readonly string[];
};

type Tool = { id: string; name: string; description: string; account?: string };
type Panel = { id: string; title: string; component: 'webview'; config: { entry: string } };

const MAX_SCOPES = 20;

/** Words of a text in the letters of ids, joined. */
function wordsOf(text: string, joint: string, most: number): string {
  const words = text
    .slice(0, 4 * most)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .normalize('NFKD')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const joined = words.join(joint).slice(0, most);
  return joined.endsWith(joint) ? joined.slice(0, -joint.length) : joined;
}

/** A name for a tool that a manifest can have, and no other tool has; undefined when nothing of it is left. */
function toolId(name: string, taken: ReadonlySet<string>): string | undefined {
  const id = /^[a-z][a-z0-9_]*$/.test(name)
    ? name.slice(0, LIMITS.tool.id)
    : wordsOf(name, '_', LIMITS.tool.id);
  if (id === '' || taken.has(id)) return undefined;
  return /^[a-z]/.test(id) ? id : `t_${id}`.slice(0, LIMITS.tool.id);
}

/** The tools of the manifest; each sentence names what is not as the server has it. */
function toolsOf(survey: ServerSurvey, changes: string[]): Tool[] {
  const tools = new Map<string, Tool>();
  for (const { name, title = '', description = '' } of survey.tools ?? []) {
    const shown = JSON.stringify(cleanLine(name, 100));
    const id = toolId(name, new Set(tools.keys()));
    if (id === undefined) {
      changes.push(`Left out the tool ${shown}: no name of its own can be made of it.`);
      continue;
    }
    if (id !== name)
      changes.push(
        `Renamed the tool ${shown} to "${id}". Rename it on the server too: clients call it by that name.`,
      );
    const label = cleanLine(title, LIMITS.tool.name) || cleanLine(name, LIMITS.tool.name);
    const said = cleanLine(description, LIMITS.tool.description);
    if (said === '') changes.push(`The tool "${id}" has no description: say what it does.`);
    else if (said.endsWith('…') && !description.trim().endsWith('…'))
      changes.push(`Cut the description of the tool "${id}" to ${LIMITS.tool.description} characters.`);
    tools.set(id, {
      id,
      name: label || id,
      description: said || label || id,
      ...(survey.signIn && { account: ACCOUNT_ID }),
    });
  }
  return [...tools.values()];
}

/** A page of the server as a panel, with its files. */
function panelOf(page: SurveyedPage, taken: ReadonlySet<string>, changes: string[]) {
  const base = wordsOf(page.title || page.uri.slice('ui://'.length), '-', LIMITS.panel.id - 3) || 'panel';
  let id = base;
  for (let n = 2; taken.has(id); n += 1) id = `${base}-${n}`;
  const { html, files } = splitPage(page.html, id);
  const title = cleanLine(page.title, LIMITS.panel.title) || id;
  if (files.size > 0)
    changes.push(
      `Moved ${files.size} inline scripts of the panel "${id}" to files, as panels run no others.`,
    );
  const entry = `ui/${id}.html`;
  const panel: Panel = { id, title, component: 'webview', config: { entry } };
  return {
    panel,
    files: new Map([[entry, html], ...Array.from(files, ([name, text]) => [`ui/${name}`, text] as const)]),
  };
}

/** The hosts of the origins that pages ask for. */
function domainsOf(pages: readonly SurveyedPage[]): string[] {
  const hosts = pages.flatMap(({ domains }) => domains.map((origin) => URL.parse(origin)?.hostname ?? ''));
  return [...new Set(hosts.filter(Boolean))].slice(0, LIMITS.remote.domains);
}

/** What of a list an issue is about: its place in the manifest, and where in it. */
const PLACES = [
  { list: (manifest: Parts) => manifest.contributes.tools, path: '/contributes/tools/', what: 'tool' },
  { list: (manifest: Parts) => manifest.contributes.panels, path: '/contributes/panels/', what: 'panel' },
  { list: (manifest: Parts) => manifest.remote.domains, path: '/remote/domains/', what: 'host' },
];

type Parts = {
  remote: { domains: unknown[] };
  contributes: { tools: unknown[]; panels: unknown[] };
};

/** Takes out what the store would refuse, and says why. @returns whether anything was */
function dropRefused(manifest: Parts, issues: readonly Issue[], changes: string[]): boolean {
  let dropped = false;
  for (const { list, path, what } of PLACES) {
    const refused = new Map<number, string>();
    for (const issue of issues)
      if (issue.path.startsWith(path))
        refused.set(Number.parseInt(issue.path.slice(path.length), 10), issue.message);
    for (const [index, message] of [...refused].sort(([a], [b]) => b - a)) {
      if (list(manifest).splice(index, 1).length === 0) continue;
      changes.push(`Left out a ${what}: ${message}`);
      dropped = true;
    }
  }
  return dropped;
}

/** The host of an address, turned around, as ids begin: `mcp.example.com` gives `com.example.mcp`. */
function reversedHost(host: string): string[] {
  return host
    .split('.')
    .reverse()
    .map((label) => wordsOf(label, '-', 20))
    .filter((label) => /^[a-z]/.test(label));
}

/** The answers that a server gives by itself, those alone that the store takes. */
export function answersFrom(survey: ServerSurvey): Partial<Answers> {
  const { hostname } = new URL(survey.url);
  const name = cleanLine(survey.title || survey.name, LIMITS.manifest.name);
  const labels = reversedHost(hostname);
  const found = {
    name,
    id: labels.length > 1 ? labels.join('.') : `com.example.${wordsOf(name, '-', 30) || 'app'}`,
    publisher: labels[1] ?? 'example',
    description:
      cleanLine(survey.instructions, LIMITS.manifest.description) || `The tools of ${name || hostname}.`,
  };
  const sound = Object.entries(found).filter(
    ([field, value]) => value !== '' && problemWith(field as keyof typeof found, value) === undefined,
  );
  return {
    ...Object.fromEntries(sound),
    mcpUrl: survey.url,
    account: survey.signIn ? 'mcp' : 'none',
    panel: false,
    template: 'app',
  };
}

/** Makes the manifest of a server's app, in which the checks find no error, and the pages of its panels. */
export function fromServer(survey: ServerSurvey, answers: Answers, store: string): FromServer {
  const changes = [...survey.notes];
  const tools = toolsOf(survey, changes);
  const files = new Map<string, string>();
  const panels: Panel[] = [];
  for (const page of survey.pages) {
    const made = panelOf(page, new Set(panels.map(({ id }) => id)), changes);
    panels.push(made.panel);
    for (const [name, text] of made.files) files.set(name, text);
  }
  if (panels.length > 0)
    changes.push(
      'Its panels speak MCP Apps over window messages: join them to the client with connectPanel (docs/panels).',
    );
  const manifest = manifestOf(answers, store) as Record<string, unknown> &
    Parts & { accounts?: { scopes: string[] }[] };
  manifest.remote.domains = domainsOf(survey.pages);
  manifest.contributes = { ...manifest.contributes, tools, panels };
  const [account] = manifest.accounts ?? [];
  if (account && survey.signIn) account.scopes = survey.signIn.scopes.slice(0, MAX_SCOPES);
  if (survey.signIn?.host === null)
    changes.push('It asks for a token and does not say where people sign in (RFC 9728).');
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
  const kept = [...files].filter(([name]) => !name.endsWith('.html') || entries.has(name));
  return { manifest, pages: new Map(kept), changes };
}

/** Whether a server is on this machine. */
export const isLocal = (url: string): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
