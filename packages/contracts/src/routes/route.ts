import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { AppId, AppVersion, PublisherSlug } from '../records/common.ts';
import type { Effect } from './effects.ts';

/** Parameters that mean the same in every path, by their name: a route declares the others of its path as `params`. */
const PATH_PARAMS = {
  appId: AppId,
  version: AppVersion,
  path: z.string().describe('Path of the file inside the bundle.'),
  slug: PublisherSlug,
  personId: z.string().min(1).describe('Id of the user.'),
  panel: z.string().describe('Id of the panel in the manifest.'),
  picture: z.enum(['icon', 'mark']),
  place: z.string().describe('Path of the page.'),
};

/** Query of an image. */
export const Raster = z.object({
  raster: z
    .enum(['', '192', '768', '1280'])
    .optional()
    .describe(
      'Returns the image as the store rendered it at publication: empty for a PNG with sides of at most 1,024 pixels, or a number for a WebP with sides of at most that many.',
    ),
});

/** Path parameters of a user. */
export const PersonParam = z.object({ id: PATH_PARAMS.personId });

/** Headers of a cacheable response. */
export const caching = {
  'Cache-Control': 'How long the response may be cached.',
  ETag: 'Send it as `If-None-Match` to revalidate a cached response.',
};

/** Headers of a response that supports ranges. */
export const ranges = {
  'Accept-Ranges': '`bytes`: to resume a download, send `Range: bytes=…` with the ETag as `If-Range`.',
};

/** Headers of a response of a rate-limited route. */
export const quotaHeaders = (what: string) => ({
  'RateLimit-Policy': `The limit on ${what}, and its window in seconds.`,
  RateLimit: 'How many remain in the window, and when it resets.',
});

/**
 * Who may call: anyone; a signed-in user; a signed-in user or a developer token; a moderator; an administrator.
 */
export type RouteAuth = 'none' | 'person' | 'developer' | 'moderator' | 'admin';

/** Who may use a public route in a store that only members may read. */
export type Readers = 'everyone' | 'members';

/** One entry of the route table. Paths are written `/api/apps/:appId`; `:path{.+}` matches the rest of the path. */
export type Route = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  tag:
    | 'Catalogue'
    | 'Registry'
    | 'Publishing'
    | 'Publishers'
    | 'People'
    | 'Tokens'
    | 'Relay'
    | 'Moderation'
    | 'Administration'
    | 'Upstreams'
    | 'Keys'
    | 'Service';
  summary: string;
  auth: RouteAuth;
  /** Of a public route. */
  readers?: Readers;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** Optional request headers: name to description. */
  takes?: Record<string, string>;
  /** JSON body; with `optionalBody` it may be missing. */
  body?: z.ZodType;
  optionalBody?: true;
  /** Maximum bytes of the JSON body or the form; 64 KiB by default. */
  maxBody?: number;
  /** Media type of a body that is not JSON. */
  rawBody?: string;
  /** Fields of an HTML form. Its field `csrf` is checked and removed before the handler gets the others. */
  form?: z.ZodObject;
  /** A page for users: its errors are pages too, and a visitor who must sign in is redirected to the sign-in page and back. */
  page?: true;
  /** Changes something for a visitor who is not signed in, and therefore requires a CSRF token. */
  guarded?: true;
  /** Also for the token that `SVC_METRICS_TOKEN` sets, which opens nothing else. */
  scraped?: true;
  /** The request carries a signature that the handler verifies, so it needs no CSRF token. */
  signed?: true;
  /** What it can do, of which `needsProof` derives whether it needs a fresh proof of identity; automation and tokens need none. */
  effects?: readonly [Effect, ...Effect[]];
  /** Only with a confirmed email address, in a store that sends mail. */
  provenAddress?: true;
  /** Any client may call it, but CORS does not allow pages of other sites to read the response. */
  closed?: true;
  /** Status of a successful response, and its JSON body, its media type, or the target of its redirect. */
  success:
    | { status: 200 | 201; body: z.ZodType }
    | { status: 200 | 201 | 204; type: string }
    | { status: 303; leadsTo: string };
  /** Responds with a page, also to errors, where `Accept` prefers `text/html`. */
  pageToo?: true;
  /** Errors are those of SCIM too (RFC 7644 section 3.12). */
  scim?: true;
  /** Errors have their message in `error` too, for clients of another API. */
  errorField?: true;
  /** The URL contains a secret: its page and its error pages run no script and send no requests. */
  secretAddress?: true;
  /** What to do instead, for callers that use a method which the path does not support. */
  methodHint?: string;
  /** Supports `Range` requests (RFC 9110 section 14). */
  ranges?: true;
  /** Target of the 307 that replaces the content, with the same headers, for clients that declare that they follow it. */
  redirects?: string;
  /** Headers of a successful response: name to description. */
  headers?: Record<string, string>;
  /** Error codes of this route, in addition to those that follow from its input and authorisation. */
  errors: readonly ErrorCode[];
};

type Described = Omit<Route, 'method' | 'path' | 'tag' | 'auth' | 'readers' | 'errors' | 'success'> &
  Partial<Pick<Route, 'errors' | 'success'>>;

/**
 * The callers of a route. A public one says who may use it in a store that only members may read: `members` if it reveals something about
 * an app (that it exists, its listing, its files, its reviews, that it was yanked); `everyone` if it is needed to become a member, to sign
 * in, to verify an installed app or to monitor the store, or if its responses are the same in every store.
 */
type Callers = Exclude<RouteAuth, 'none'> | Readers;

type Split<Endpoint> = Endpoint extends `${infer By} ${infer Method} ${infer Path}`
  ? (By extends Readers ? { auth: 'none'; readers: By } : { auth: By }) & {
      method: Lowercase<Method>;
      path: Path;
    }
  : never;

/** A change of a signed-in user says what it can do. */
type Effects<Endpoint> = Endpoint extends `${Readers} ${string}` | `${string} GET ${string}`
  ? unknown
  : Required<Pick<Route, 'effects'>>;

/** The parameters in a path: `:appId`, and `:path{.+}` for the rest of it. */
export type ParamsIn<Path> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? NameOf<Name> | ParamsIn<`/${Tail}`>
    : NameOf<Rest>
  : never;
type NameOf<Text> = Text extends `${infer Name}{${string}` ? Name : Text;

type Known = typeof PATH_PARAMS;
type Declared<D> = D extends { params: z.ZodObject<infer Shape> } ? Shape : Record<never, never>;

/** The parameters of a path: those that the route declares, and else those that mean the same in every path. */
type Parameters<Path, D> = [ParamsIn<Path>] extends [never]
  ? unknown
  : {
      params: z.ZodObject<Omit<Pick<Known, ParamsIn<Path> & keyof Known>, keyof Declared<D>> & Declared<D>>;
    };

function parametersOf(path: string, declared: z.ZodObject | undefined): { params?: z.ZodObject } {
  const names = Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => name);
  const known: Record<string, z.core.SomeType> = { ...PATH_PARAMS, ...declared?.shape };
  const shape = names.map((name) => {
    if (known[name]) return [name, known[name]] as const;
    throw new Error(`Declare the parameter ${name} of ${path}.`);
  });
  return names.length === 0 ? {} : { params: z.object(Object.fromEntries(shape)) };
}

const PAGE = { status: 200, type: 'text/html' } as const;

/** A route with parameters in its path returns `not_found`, and one without a `success` a page, unless it says otherwise. */
type Defaults<Path, D> = (D extends { errors: readonly ErrorCode[] }
  ? unknown
  : { errors: [ParamsIn<Path>] extends [never] ? readonly [] : readonly ['not_found'] }) &
  (D extends { success: Route['success'] } ? unknown : { success: typeof PAGE });

const tagged =
  <const Tag extends Route['tag']>(tag: Tag) =>
  <const Endpoint extends `${Callers} ${Uppercase<Route['method']>} /${string}`, const D extends Described>(
    endpoint: Endpoint,
    described: D & Effects<Endpoint> & { [Unknown in Exclude<keyof D, keyof Described>]: never },
  ) => {
    const [by, method = '', path = ''] = endpoint.split(' ', 3);
    const callers = by === 'everyone' || by === 'members' ? { auth: 'none', readers: by } : { auth: by };
    const parameters = parametersOf(path, described.params);
    const entry = {
      ...callers,
      method: method.toLowerCase(),
      path,
      tag,
      errors: parameters.params ? ['not_found'] : [],
      success: PAGE,
      ...described,
      ...parameters,
    };
    type Path = Split<Endpoint>['path'];
    return entry as unknown as Split<Endpoint> & { tag: Tag } & Omit<D, 'params'> &
      Parameters<Path, D> &
      Defaults<Path, D>;
  };

/** Entries of the route table, by their tag in the API page: `route.keys('everyone GET /api/apps/public-key', { … })`. */
export const route = {
  catalogue: tagged('Catalogue'),
  registry: tagged('Registry'),
  publishing: tagged('Publishing'),
  publishers: tagged('Publishers'),
  people: tagged('People'),
  tokens: tagged('Tokens'),
  relay: tagged('Relay'),
  moderation: tagged('Moderation'),
  administration: tagged('Administration'),
  upstreams: tagged('Upstreams'),
  keys: tagged('Keys'),
  service: tagged('Service'),
};
