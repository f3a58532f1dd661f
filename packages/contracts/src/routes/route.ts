import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';

/**
 * Who may call: anyone; a person who is signed in; a person who is signed in or bears a developer token; a moderator; an
 * administrator.
 */
export type RouteAuth = 'none' | 'person' | 'developer' | 'moderator' | 'admin';

/** One entry of the route table. Paths are written `/api/apps/:appId`; `:path{.+}` takes the rest of the path. */
export type Route = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  tag:
    | 'Catalogue'
    | 'Publishing'
    | 'Publishers'
    | 'People'
    | 'Tokens'
    | 'Relay'
    | 'Moderation'
    | 'Administration'
    | 'Keys'
    | 'Service';
  summary: string;
  auth: RouteAuth;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** Headers that a request may carry, name to meaning. */
  takes?: Record<string, string>;
  /** JSON body; `optionalBody` lets it be left out. */
  body?: z.ZodType;
  optionalBody?: true;
  /** Media type of a body that is not JSON. */
  rawBody?: string;
  /** Fields of a form, as a page sends it. Its `csrf` is taken off and checked before the handler sees the others. */
  form?: z.ZodObject;
  /** A page for people: it refuses with a page too, and who must sign in first is led there and back. */
  page?: true;
  /** Changes something for a visitor of the pages who is not signed in, so that a token against forgery must come along. */
  guarded?: true;
  /** Anybody may ask, and no page of another site may read the answer. */
  closed?: true;
  /** Status of success, and its JSON body, the media type of its bytes, or where it leads. */
  success:
    | { status: 200 | 201; body: z.ZodType }
    | { status: 200; type: string }
    | { status: 303; leadsTo: string };
  /** Answers with a page too, refusals as well, where `Accept` prefers `text/html`. */
  pageToo?: true;
  /** Its address holds a secret: its page, and that of its refusals, runs no script and asks the store nothing. */
  secretAddress?: true;
  /** Answers with a part of its bytes too, as 206, where a `Range` asks for one (RFC 9110 section 14). */
  ranges?: true;
  /** Where a 307 leads that may come in place of the bytes, with the same headers, for clients that say that they follow. */
  redirects?: string;
  /** Headers that a successful answer carries, name to meaning. */
  headers?: Record<string, string>;
  /** Codes this route may answer with, beside those that follow from its input and authorisation. */
  errors: readonly ErrorCode[];
};
