import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';

/** Who may call: anybody, the bearer of a developer token, a moderator, an administrator. */
export type RouteAuth = 'none' | 'developer' | 'moderator' | 'admin';

/** One entry of the route table. Paths are written `/api/apps/:appId`; `:path{.+}` takes the rest of the path. */
export type Route = {
  method: 'get' | 'post' | 'patch' | 'delete';
  path: string;
  tag: 'Catalogue' | 'Publishing' | 'Moderation' | 'Administration' | 'Keys' | 'Service';
  summary: string;
  auth: RouteAuth;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** JSON body; `optionalBody` lets it be left out. */
  body?: z.ZodType;
  optionalBody?: true;
  /** Media type of a body that is not JSON. */
  rawBody?: string;
  /** Status of success, and its JSON body or the media type of its bytes. */
  success: { status: 200 | 201; body: z.ZodType } | { status: 200; type: string };
  /** Headers that a successful answer carries, name to meaning. */
  headers?: Record<string, string>;
  /** Codes this route may answer with, beside those that follow from its input and authorisation. */
  errors: readonly ErrorCode[];
};
