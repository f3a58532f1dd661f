import type { Tool } from '@svc/contracts';
import type { InstalledApp } from '@svc/runtime';
import { preApprovalKey } from '@svc/runtime/parts';
import { z } from 'zod';
import type { Desktop } from '../desktop.ts';
import { notFound } from '../http/exchange.ts';
import { PreApproved } from '../settings/agent-settings.ts';
import type { LastingPermission, PermissionName, PreApproval } from '../wire/views.ts';
import { AppId, call, Id, Nothing, type PageParts } from './page-call.ts';

/** What an approval beforehand of a tool is bound to; null for one that asks nothing, or takes files. */
const keyOfTool = (app: InstalledApp, tool: Tool): string | null =>
  tool.confirm ? preApprovalKey(app, tool) : null;

/** The same, of a tool by its names; null also for one that is not installed. */
function keyOf({ runtime }: Desktop, { appId, tool }: Pick<PreApproval, 'appId' | 'tool'>): string | null {
  const app = runtime.library.get(appId);
  const declared = app?.manifest.contributes.tools?.find(({ id }) => id === tool);
  return app && declared ? keyOfTool(app, declared) : null;
}

const Hash = z.string().regex(/^[0-9a-f]{64}$/);

const Permission: z.ZodType<PermissionName> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('chat'), chat: Id, key: Hash }),
  z.strictObject({ kind: z.literal('agent'), ...PreApproved.shape }),
  z.strictObject({ kind: z.literal('files'), appId: AppId, id: Hash }),
]);

/** What lasts of the answers that the user gave. */
function lastingPermissions({ desktop, chats }: PageParts): LastingPermission[] {
  const { runtime, agentSettings } = desktop;
  const nameOf = (appId: string) => runtime.library.get(appId)?.manifest.name ?? appId;
  return [
    ...agentSettings.preApproved().map(({ key, since = null, usedAt = null, ...tool }) => ({
      of: { kind: 'agent' as const, ...tool },
      ...{ app: nameOf(tool.appId), tool: tool.tool, project: tool.project, chat: null, since, usedAt },
      changed: keyOf(desktop, tool) !== key,
    })),
    ...chats.allowances.list().map(({ chat, key, title, appId, ...one }) => ({
      of: { kind: 'chat' as const, chat, key },
      ...one,
      ...{ app: appId === null ? null : nameOf(appId), chat: title, changed: false },
    })),
    ...runtime.filePermissions.list().map(({ appId, id, ...one }) => ({
      of: { kind: 'files' as const, appId, id },
      ...{ app: nameOf(appId), tool: null, chat: null, ...one, changed: false },
    })),
  ];
}

/** What the user allowed for longer than one call, and tools that agents may call without asking. */
export function permissionCalls(parts: PageParts) {
  const { desktop, chats } = parts;
  const { agentSettings, runtime } = desktop;
  return {
    'permissions.list': call(Nothing, () => ({ permissions: lastingPermissions(parts) })),
    'permissions.revoke': call(Permission, async (name) => {
      if (name.kind === 'chat') chats.allowances.revoke(name.chat, name.key);
      else if (name.kind === 'files') runtime.filePermissions.revoke(name.appId, name.id);
      else await agentSettings.revokePreApproval(name);
    }),
    /** The tools of a project that ask before each call and take no files. */
    'agents.askingTools': call(z.strictObject({ project: Id }), ({ project }) => ({
      tools: runtime
        .allToolsNow({ project })
        .flatMap(({ app }) =>
          (app.manifest.contributes.tools ?? [])
            .filter((tool) => keyOfTool(app, tool) !== null)
            .map(({ id, name }) => ({ appId: app.appId, app: app.manifest.name, tool: id, name })),
        ),
    })),
    'agents.preApprove': call(PreApproved, async (tool) => {
      const key = keyOf(desktop, tool);
      if (key === null) throw notFound('This tool takes files, asks nothing, or is not installed.');
      await agentSettings.preApprove(tool, key);
    }),
  };
}
