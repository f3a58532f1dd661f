import type {
  CallToolResult,
  ClientCapabilities,
  ReadResourceResult,
  Tool,
} from '@modelcontextprotocol/server';
import { guarded, inBackground } from '@svc/contracts/guarded';
import { type CallRequest, type InstalledApp, type OpenPanel, RuntimeError } from '@svc/runtime';
import { MCP_APPS, modelName, PAGE_TYPE, pageOfTool } from '@svc/runtime/parts';
import * as z from 'zod';
import type { Desktop } from '../desktop.ts';
import { valuesOf } from '../settings/app-values.ts';
import { PANEL_REQUEST } from './meta-tools.ts';
import { type Audience, type Offered, usableApps, wholeApps } from './offered-tools.ts';

/** Most panels that one agent shows. */
const MAX_SHOWN = 16;

/** Whether a client shows pages of MCP Apps. */
export function showsPanels(client: ClientCapabilities | undefined): boolean {
  const { mimeTypes } = (client?.extensions?.[MCP_APPS] ?? {}) as { mimeTypes?: unknown };
  return Array.isArray(mimeTypes) && mimeTypes.includes(PAGE_TYPE);
}

/** A tool that no page may call: hosts refuse calls of pages to tools without `app` (MCP Apps, "Visibility"). */
export const forModels = (tool: Tool): Tool => ({
  ...tool,
  _meta: { ...tool._meta, ui: { ...(tool._meta?.ui ?? {}), visibility: ['model'] } },
});

const PanelRequest = z.object({
  key: z.string().max(100),
  method: z.string().max(100),
  params: z.record(z.string(), z.unknown()).optional(),
});

type Deps = { desktop: Desktop; newId(): string; onFault(error: unknown): void };
type Panel = NonNullable<InstalledApp['manifest']['contributes']['panels']>[number];

const uriOf = (app: InstalledApp, { id }: Panel): string => `ui://${app.appId}/${encodeURIComponent(id)}`;

/** The page that the server of a connector gives a tool, at the address that hosts know it by: those of two connectors never collide. */
export function pageUri({ appId, source }: InstalledApp, tool: Offered['tool']): string | null {
  const uri = source.kind === 'connector' ? pageOfTool(tool) : null;
  return uri === null ? null : `ui://${appId}/${encodeURIComponent(uri.slice('ui://'.length))}`;
}

/** Names the page of a tool. Hosts of before 2026-01-26 read the second form. */
const shownAt = (uri: string) => ({ ui: { resourceUri: uri }, 'ui/resourceUri': uri });

/** The definition of a tool with its page, for a host that shows it. */
export function withPage({ app, tool, definition }: Offered): Tool {
  const uri = pageUri(app, tool);
  return uri === null ? definition : { ...definition, _meta: { ...definition._meta, ...shownAt(uri) } };
}

/** What the name of a tool that shows a panel has, also where it is shortened. */
const SHOWS = '__show_';

const toolNameOf = (app: InstalledApp, { id }: Panel): string => modelName(app, `show_${id}`);

function toolOf(app: InstalledApp, panel: Panel): Tool {
  const views = (panel.views ?? []).map(({ id }) => id);
  return {
    name: toolNameOf(app, panel),
    title: `${app.manifest.name}: ${panel.title}`,
    description: `Shows the user the panel ${JSON.stringify(panel.title)} of ${app.manifest.name}. It returns no data.`,
    inputSchema: {
      type: 'object',
      properties: views.length > 0 ? { view: { type: 'string', enum: views } } : {},
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    _meta: shownAt(uriOf(app, panel)),
  };
}

/** An open panel, and its requests that wait for an answer. */
type Hosted = { panel: OpenPanel; waiting: Map<number, (answer: object) => void> };

/** @param ended aborted when the session of the agent ends */
export function createHostedPanels(
  { desktop, newId, onFault }: Deps,
  audience: Audience,
  ended: AbortSignal,
) {
  const { runtime, prompts, settings } = desktop;
  const hosted = new Map<string, Hosted>();
  let lastId = 0;
  const close = guarded(() => {
    for (const { panel } of hosted.values()) inBackground(panel.close('gone'), onFault);
  }, onFault);
  ended.addEventListener('abort', close, { once: true });

  const offered = () =>
    wholeApps(runtime, audience).flatMap((app) =>
      (app.manifest.contributes.panels ?? []).map((panel) => ({ app, panel })),
    );

  /** The pages of connectors, by address: of several tools that have the same one, the first opens it. */
  const pages = () =>
    new Map(
      usableApps(runtime, audience)
        .flatMap(({ app, tools }) => tools.map((tool) => [pageUri(app, tool), { app, tool }] as const))
        .reverse(),
    );

  const callAs = (app: InstalledApp, request: CallRequest) =>
    desktop.call(prompts.asker(), {
      ...request,
      ...{ appId: app.appId, callId: newId(), caller: { ...audience, as: 'page' } },
    });

  const openPanel = (app: InstalledApp, { id }: Panel) =>
    runtime.openPanel(app.appId, id, {
      ...{ theme: 'light', locale: 'en', project: audience.project, isForeign: true },
      settings: valuesOf(app, settings),
      call: (request) => callAs(app, request),
    });

  function openPage({ app, tool }: Pick<Offered, 'app' | 'tool'>): Promise<OpenPanel> {
    const where = { project: audience.project, chat: newId() };
    return runtime.openPage(app.appId, {
      ...{ tool: tool.id, project: audience.project, isForeign: true },
      call: (request) => callAs(app, { ...request, ...where }),
    });
  }

  /** Opens what an address names; null where it names nothing that is shown. */
  function opening(uri: string): (() => Promise<OpenPanel>) | null {
    const panel = offered().find((one) => uriOf(one.app, one.panel) === uri);
    if (panel) return () => openPanel(panel.app, panel.panel);
    const page = pages().get(uri);
    return page ? () => openPage(page) : null;
  }

  async function open(opened: () => Promise<OpenPanel>): Promise<[string, OpenPanel]> {
    const [oldest] = hosted.values();
    if (oldest && hosted.size >= MAX_SHOWN) await oldest.panel.close('gone');
    const panel = await opened();
    const key = newId();
    const waiting: Hosted['waiting'] = new Map();
    panel.listen({
      message(text) {
        const { id: answered, ...answer } = JSON.parse(text) as { id?: number; error?: object };
        waiting.get(answered ?? 0)?.(answer);
      },
      closed() {
        hosted.delete(key);
        const error = { code: -32_000, message: 'The panel was closed.', data: { code: 'unknown-panel' } };
        for (const answered of waiting.values()) answered({ error });
      },
    });
    hosted.set(key, { panel, waiting });
    if (ended.aborted) close();
    return [key, panel];
  }

  return {
    /** The panels, and the pages of connectors, as resources. */
    list() {
      const shown = [
        ...offered().map(({ app, panel }) => [uriOf(app, panel), app, panel.title] as const),
        ...[...pages()].map(([uri, { app, tool }]) => [uri, app, tool.title] as const),
      ];
      return shown.flatMap(([uri, app, title]) =>
        uri === null ? [] : [{ uri, name: `${app.manifest.name}: ${title}`, mimeType: PAGE_TYPE }],
      );
    },
    /** The tools that show panels. */
    tools: () => offered().map(({ app, panel }) => toolOf(app, panel)),
    /** The result of a tool that shows a panel; null for another tool. */
    shown(tool: string): CallToolResult | null {
      // Each call of a tool comes here, and the panels of hundreds of apps are not listed for it.
      if (!tool.includes(SHOWS)) return null;
      const found = offered().find(({ app, panel }) => toolNameOf(app, panel) === tool);
      if (!found) return null;
      return { content: [{ type: 'text', text: `The user sees the panel ${found.panel.title}.` }] };
    },
    /** Opens a panel or a page. @returns null for a resource that is none */
    async read(uri: string): Promise<ReadResourceResult | null> {
      const found = opening(uri);
      if (!found) return null;
      const [key, panel] = await open(found);
      const { html, csp } = panel.document({ key, tool: PANEL_REQUEST.name });
      const about = { uri, mimeType: PAGE_TYPE, _meta: { ui: { csp, prefersBorder: true } } };
      return { contents: [{ ...about, text: html }] };
    },
    /** Handles a request of an open panel. @throws RuntimeError `invalid-arguments`, `unknown-panel` */
    async request(args: unknown, signal: AbortSignal): Promise<CallToolResult> {
      const { success, data } = PanelRequest.safeParse(args);
      if (!success) throw new RuntimeError('invalid-arguments');
      const found = hosted.get(data.key);
      if (!found) throw new RuntimeError('unknown-panel', 'This panel is no longer open. Show it again.');
      lastId += 1;
      const id = lastId;
      const { promise, resolve, reject } = Promise.withResolvers<object>();
      const cancel = guarded(() => {
        const cancelled = { method: 'notifications/cancelled', params: { requestId: id } };
        found.panel.receive(JSON.stringify({ jsonrpc: '2.0', ...cancelled }));
        reject(signal.reason);
      }, onFault);
      signal.addEventListener('abort', cancel, { once: true });
      found.waiting.set(id, resolve);
      try {
        const { method, params = {} } = data;
        found.panel.receive(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
        const { jsonrpc: _, ...answer } = (await promise) as { jsonrpc?: string };
        return { content: [], structuredContent: answer };
      } finally {
        signal.removeEventListener('abort', cancel);
        found.waiting.delete(id);
      }
    },
  };
}

/** The panels that one agent shows in its own window. */
export type HostedPanels = ReturnType<typeof createHostedPanels>;
