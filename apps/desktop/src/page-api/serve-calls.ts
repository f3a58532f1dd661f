import type { z } from 'zod';
import { sendJson } from '../http/answer.ts';
import { type Exchange, invalid, notFound } from '../http/exchange.ts';
import { readJson } from '../http/read-body.ts';
import type { CallName } from '../wire/calls.ts';
import { accountCalls } from './accounts.ts';
import { activityCalls } from './activity.ts';
import { agentCalls } from './agents.ts';
import { appCalls } from './apps.ts';
import { chatCalls } from './chats.ts';
import { clientCalls } from './client.ts';
import { contentCalls } from './contents.ts';
import { fileCalls } from './files.ts';
import { modelCalls } from './models.ts';
import type { Caller, PageCall, PageParts } from './page-call.ts';
import { panelCalls } from './panels.ts';
import { projectCalls } from './projects.ts';
import { sourceCalls } from './sources.ts';
import { storeCalls } from './store.ts';
import { toolCalls } from './tools.ts';

/** Largest request, in bytes: messages of panels are the longest. */
const MAX_BYTES = 8 * 1024 * 1024;

/** All calls except the one that opens a session. */
type Calls = { [Name in Exclude<CallName, 'session.open'>]: PageCall<Name> };

/** Any call, with its input validated by its own schema. */
type AnyCall = { input: z.ZodType; answer(input: unknown, caller: Caller): unknown };

/** Describes an invalid input, without repeating it. */
function faultOf(error: z.ZodError): string {
  const [issue] = error.issues;
  const where = issue?.path.join('.') || 'the request';
  return `${where}: ${issue?.code === 'unrecognized_keys' ? 'has unknown fields' : 'is not valid'}.`;
}

/** Creates the handler of page calls: a closed table, with one file per feature. */
export function serveCalls(parts: PageParts) {
  const calls: Calls = {
    ...clientCalls(parts),
    ...storeCalls(parts),
    ...appCalls(parts),
    ...accountCalls(parts),
    ...toolCalls(parts),
    ...fileCalls(parts),
    ...panelCalls(parts),
    ...sourceCalls(parts),
    ...contentCalls(parts),
    ...projectCalls(parts),
    ...agentCalls(parts),
    ...activityCalls(parts),
    ...chatCalls(parts),
    ...modelCalls(parts),
  };
  const byName = new Map(Object.entries(calls) as [string, AnyCall][]);
  return async (
    { request, response, signal }: Exchange,
    name: string,
    { session }: Pick<Caller, 'session'>,
  ) => {
    const call = byName.get(name);
    if (!call) throw notFound('Unknown call.');
    const input = call.input.safeParse(await readJson(request, MAX_BYTES));
    if (!input.success) throw invalid(faultOf(input.error));
    sendJson(response, (await call.answer(input.data, { session, signal })) ?? {});
  };
}
