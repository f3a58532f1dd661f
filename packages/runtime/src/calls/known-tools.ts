import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import { cutsOf, type FileRule, hasCutWords, LIMITS, type Tool } from '@svc/contracts';
import { isObject } from '@svc/contracts/is-object';
import { remoteNameOf } from '@svc/contracts/vocabulary';
import { cleanLine } from '@svc/text';
import type { Events, RuntimeEvent } from '../events/events.ts';
import { accountOf, declaredTools, type InstalledApp, isConnector } from '../library/installed-app.ts';
import { type Note, quotedName } from './lenient/repair-block.ts';
import type { PinnedTool, ToolHints } from './pins/pinned-tool.ts';
import { NO_PINS, type Pinned, type Pins } from './pins/pins.ts';
import type { Given } from './read-result.ts';
import type { Secrets } from './secrets.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** A tool of an installed app. */
export type AppTool = {
  id: string;
  /** What people read. */
  title: string;
  /** From the manifest, which the user could read before installing; of a connector, from its server, with its line breaks. */
  description: string;
  /** JSON Schema of the arguments from the server, without arguments that take files. */
  inputSchema: JsonObject;
  /** The file rule of each argument that takes files. */
  files: Readonly<Record<string, FileRule>>;
  confirms: boolean;
  account: string | null;
  /** JSON Schema of the structured result, from the server. */
  outputSchema?: JsonObject;
  /** Unverified behaviour hints of the server, as they were accepted. */
  annotations?: ToolHints;
  /** Whether a text that its server gives was longer than what is kept of it: 4,096 characters. */
  isCut?: true;
  /** Icons and `_meta` that the server of a connector gives, as they were accepted. */
  given?: Given;
};

export type { ToolHints } from './pins/pinned-tool.ts';

const ANYTHING: JsonObject = { type: 'object' };

/** A schema without some arguments: files are passed separately. */
function withoutParams(schema: JsonObject, params: ReadonlySet<string>): JsonObject {
  const { properties, required, ...rest } = schema;
  return {
    ...rest,
    ...(isObject(properties) && {
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !params.has(name))),
    }),
    ...(Array.isArray(required) && { required: required.filter((name) => !params.has(name)) }),
  };
}

const toolAs = (app: InstalledApp, tool: Tool, pin: PinnedTool | undefined): AppTool => ({
  id: tool.id,
  title: tool.name,
  description: tool.description,
  inputSchema: withoutParams(pin?.inputSchema ?? ANYTHING, new Set(Object.keys(tool.files ?? {}))),
  files: tool.files ?? {},
  confirms: tool.confirm !== undefined,
  account: accountOf(app, tool),
  ...(pin?.outputSchema && { outputSchema: pin.outputSchema }),
  ...(pin?.annotations && { annotations: pin.annotations }),
  ...(pin && hasCutWords(pin) && { isCut: true as const }),
  ...(pin?.given && { given: pin.given }),
});

/** A tool of a connector, from its server's listing. */
function connectorTool({ name: id, title = '', description = '' }: PinnedTool): Tool {
  const name = cleanLine(title, LIMITS.tool.name) || cleanLine(id, LIMITS.tool.name);
  return { id, name, description: description || name };
}

/**
 * The tools of an app that can be called: those that the manifest declares and the server lists. For a connector, all that its server
 * lists.
 * @param listed the accepted descriptions of the tools that the server lists; null when unknown
 */
function offeredTools(app: InstalledApp, listed: readonly PinnedTool[] | null): AppTool[] {
  if (isConnector(app)) return (listed ?? []).map((pin) => toolAs(app, connectorTool(pin), pin));
  const byName = new Map((listed ?? []).map((pin) => [pin.name, pin]));
  return declaredTools(app)
    .filter((tool) => listed === null || byName.has(remoteNameOf(tool)))
    .map((tool) => toolAs(app, tool, byName.get(remoteNameOf(tool))));
}

const uiOf = ({ given }: Pick<AppTool, 'given'>): Readonly<Record<string, unknown>> => {
  const meta = isObject(given?._meta) ? given._meta : {};
  return { resourceUri: meta['ui/resourceUri'], ...(isObject(meta.ui) && meta.ui) };
};

/** The page that the server of a connector gives a tool (MCP Apps, `_meta.ui.resourceUri`); null where it gives none. */
export function pageOfTool(tool: AppTool): string | null {
  const { resourceUri } = uiOf(tool);
  return typeof resourceUri === 'string' && resourceUri.startsWith('ui://') ? resourceUri : null;
}

/** Whether the server offers a tool to models, or to its pages (MCP Apps, "Visibility"). Default: to both. */
export function isVisibleTo(tool: Pick<AppTool, 'given'>, whom: 'model' | 'app'): boolean {
  const { visibility } = uiOf(tool);
  return !Array.isArray(visibility) || visibility.includes(whom);
}

/** Where the schemas of tools are from: the server in this process, an earlier listing that is kept, or nowhere. */
export type Listing = 'now' | 'last' | 'unknown';

/** Known tools. `pinned` is what was accepted of them; null before the first `tools/list` response, and for built-in apps. */
export type KnownListing = { tools: AppTool[]; listing: Listing; pinned: Pinned | null };

type Known = Pick<InstalledApp, 'manifest' | 'source'> & KnownListing;

/** What is the same for records of the same bundle, URL or folder state. Identities only, as lists compare many. */
function identityOf({ manifest, source }: Pick<InstalledApp, 'manifest' | 'source'>): unknown {
  if (source.kind === 'store') return source.sha256;
  if (source.kind === 'connector') return source.url;
  // The tools of a built-in app come with the client.
  return source.kind === 'built-in' ? source.kind : manifest;
}

/** Says what is not kept whole of the tools of a listing. The words of an app's own tools are those of its manifest. */
function noteCuts(app: InstalledApp, listed: readonly ServerTool[], note: Note): void {
  for (const tool of listed.slice(0, LIMITS.served.tools)) {
    if (JSON.stringify(tool).length <= LIMITS.served.description) continue;
    for (const part of cutsOf(tool))
      if (isConnector(app) || part !== 'its description')
        note(
          `The tool ${quotedName(tool.name)} has more than is kept: ${part} (${LIMITS.served.description} characters).`,
        );
  }
}

/** Creates the cache, in memory, for the installed version of each app. What is accepted of each server is in `pins`. */
export function createKnownTools(pins: Pins) {
  const known = new Map<string, Known>();

  /** The entry of this version of the app. */
  function find(app: InstalledApp): Known | undefined {
    const entry = known.get(app.appId);
    return entry && identityOf(entry) === identityOf(app) ? entry : undefined;
  }

  function put({ appId, manifest, source }: InstalledApp, listed: KnownListing): Known {
    const entry = { manifest, source, ...listed };
    known.set(appId, entry);
    return entry;
  }

  function fromPins(app: InstalledApp): Known {
    const pinned = pins.of(app);
    const tools = offeredTools(app, pinned?.listed ?? null);
    return put(app, { tools, listing: pinned ? 'last' : 'unknown', pinned });
  }

  return {
    /** Takes a `tools/list` response of an app's server. @returns the tools as they are accepted */
    record(app: InstalledApp, listed: readonly ServerTool[], secrets: Secrets, note?: Note) {
      if (note) noteCuts(app, listed, note);
      const kept = app.source.kind === 'built-in' ? NO_PINS : pins;
      const tools = offeredTools(app, kept.settle(app, secrets.strip(listed), note));
      return put(app, { tools, listing: 'now', pinned: kept.of(app) }).tools;
    },
    /** The known tools of an app: as accepted, or those of the manifest before the first `tools/list` response. */
    of: (app: InstalledApp) => find(app) ?? fromPins(app),
    /** Discards tools that an event may have changed: another account may have other tools, and a folder other code. */
    handleEvent(event: RuntimeEvent) {
      const harmless = [
        'call-started',
        'call-ended',
        'token-used',
        'server-repaired',
        'panel-opened',
        'panel-closed',
        'tools-changed',
        'tools-rejected',
        'server-log',
        'server-resource-updated',
      ];
      if ('appId' in event && event.appId !== null && !harmless.includes(event.type))
        known.delete(event.appId);
    },
  };
}

/** The last known tools of each app, for callers that cannot wait for a request. */
export type KnownTools = ReturnType<typeof createKnownTools>;

/** Maximum kept repairs of one app. */
const MAX_REPAIRS = 50;

/** Creates the list, in memory. */
export function createRepairs({ emit }: Pick<Events, 'emit'>) {
  const all = new Map<string, Map<string, 'tools' | undefined>>();
  return {
    /** Adds a repair and, the first time, emits it. @param missing the list that has fewer entries for it */
    add(appId: string, what: string, missing?: 'tools') {
      const known = all.get(appId) ?? new Map();
      if (known.has(what) || known.size >= MAX_REPAIRS) return;
      all.set(appId, known.set(what, missing));
      emit({ type: 'server-repaired', appId, what });
    },
    of(appId: string) {
      const known = [...(all.get(appId) ?? [])];
      return {
        repairs: known.map(([what]) => what),
        notListed: known.flatMap(([what, missing]) => (missing === 'tools' ? [what] : [])),
      };
    },
    /** Discards the repairs of an app that is another one now. */
    handleEvent(event: RuntimeEvent) {
      const isOther = ['app-updated', 'app-removed', 'developer-app-changed'].includes(event.type);
      if (isOther && 'appId' in event && event.appId !== null) all.delete(event.appId);
    },
  };
}

/** What was dropped or repaired of the messages of each app's server, since this process started. */
export type Repairs = ReturnType<typeof createRepairs>;
