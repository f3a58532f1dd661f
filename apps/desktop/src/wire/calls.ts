import type { z } from 'zod';
import type { PageCalls } from '../page-api/serve-calls.ts';

type Nothing = Record<string, never>;

/**
 * The calls of the page: `POST /api/<name>` with a JSON object; the response is a JSON object. Each needs the session's bearer. Errors
 * are 4xx with `{ code, message }`: the code is a `RefusalCode` of the runtime, or `invalid_request`, `unauthorized`, `not_found`,
 * `internal`.
 */
export type DesktopCalls = {
  [Name in keyof PageCalls]: {
    in: z.output<PageCalls[Name]['input']>;
    out: Sent<Awaited<ReturnType<PageCalls[Name]['answer']>>>;
  };
} & {
  /** Exchanges the key of a one-time link for a bearer; the only call without a bearer. */
  'session.open': { in: { key: string }; out: { bearer: string } };
};

/** What the page receives of a result. */
// biome-ignore lint/suspicious/noConfusingVoidType: a call without an answer returns what its function returns
type Sent<Out> = [Out] extends [void] ? Nothing : Out;

export type CallName = keyof DesktopCalls;

/** Entries of the activity, newest first, and whether there are older ones; all apps and outcomes in the log, whatever the filter. */
export type ActivityPage = DesktopCalls['activity.list']['out'];
export type BundleView = DesktopCalls['agents.bundles']['out']['bundles'][number];
export type AgentSettingsView = DesktopCalls['agents.settings']['out'];
/** A model provider, without its key. */
export type ProviderView = DesktopCalls['models.list']['out']['providers'][number];
