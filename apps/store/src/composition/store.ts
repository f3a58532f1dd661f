import { Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import type { Stores } from '../adapters/database/stores.ts';
import { bindRoutes, prefersPage } from '../core/access/bind-route.ts';
import type { Env } from '../core/access/context.ts';
import { answerRefusal, onError } from '../core/access/envelope.ts';
import type { Additions, Extension, Job, OpenExtension } from '../core/access/extension.ts';
import { observe } from '../core/access/observe.ts';
import { auditRoutes } from '../core/audit/routes.ts';
import { type AnswerFromMemory, answerFromMemory } from '../core/catalog/answer-from-memory.ts';
import { catalogRoutes } from '../core/catalog/routes.ts';
import type { Letters } from '../core/domain/mail/letter.ts';
import type { GivenArgs } from '../core/domain/parts/extension-command.ts';
import { joinHooks } from '../core/domain/parts/hooks.ts';
import type { Hooks, Parts } from '../core/domain/parts/parts.ts';
import { NOTHING_FOUND } from '../core/domain/tools/served.ts';
import type { VersionRef } from '../core/domain/versions/version-record.ts';
import { moderationRoutes } from '../core/moderation/routes.ts';
import { operationsRoutes } from '../core/operations/routes.ts';
import { createProofInForm } from '../core/people/proof-page.ts';
import { peopleRoutes } from '../core/people/routes.ts';
import { setupLink } from '../core/people/sign-up.ts';
import { policyRoutes } from '../core/policy/routes.ts';
import { ownAppsRoutes } from '../core/publishers/apps/routes.ts';
import { isOpenInvitation } from '../core/publishers/invitations/accept.ts';
import { publisherRoutes } from '../core/publishers/routes.ts';
import { publishingRoutes } from '../core/publishing/routes.ts';
import { relayRoutes } from '../core/relay/routes.ts';
import { revocationRoutes } from '../core/revocations/routes.ts';
import { deviceRoutes } from '../core/tokens/device-routes.ts';
import { tokenRoutes } from '../core/tokens/routes.ts';
import { descriptionRoutes } from '../core/web/description-routes.ts';
import { webRoutes } from '../core/web/routes.ts';
import { ApiError } from '../platform/api-error.ts';
import { createDataChecks, type DataChecks } from './data-checks.ts';
import { EXTENSIONS } from './extensions.ts';
import type { StoreParts } from './open-parts.ts';
import { createSharedParts, type SharedParts } from './shared-parts.ts';

/** All parts of a store. Where a setting has the name of a store, the setting is not among them. */
type AllParts = Omit<StoreParts, keyof Stores> & Stores & SharedParts & FromExtensions;

/** What the extensions give the core. */
type FromExtensions = Pick<Parts, 'hooks' | 'serverOf'> & { additions: readonly Additions[] };

/** Adds what the extensions give to the parts, and opens each extension on them. @returns also the extensions that are on */
function openExtensions(parts: Omit<AllParts, keyof FromExtensions>) {
  const list: readonly Extension<AllParts>[] = EXTENSIONS;
  const hooks: Partial<Hooks>[] = [];
  const additions: Additions[] = [];
  const serverOf = async (version: VersionRef) =>
    (await additions.find((addition) => addition.serverOf)?.serverOf?.(version)) ?? NOTHING_FOUND;
  const all: AllParts = { ...parts, hooks: joinHooks(hooks), serverOf, additions };
  const open: OpenExtension[] = [];
  const letters: Letters[] = [];
  for (const extension of list) {
    const opened = extension.open(all);
    hooks.push(opened.hooks ?? {});
    letters.push(opened.letters ?? {});
    if (!parts.extensions.has(extension.name)) continue;
    additions.push(opened.additions ?? {});
    open.push(opened);
  }
  return { all, open, letters: Object.assign({}, ...letters) as Letters };
}

/** Builds the routes of every feature. The parameter type of each names the parts that it uses. */
const featureRoutes = (parts: AllParts, people: Parameters<typeof peopleRoutes>[0]) => ({
  ...catalogRoutes(parts),
  ...publishingRoutes(parts),
  ...revocationRoutes(parts),
  ...moderationRoutes(parts),
  ...policyRoutes(parts),
  ...publisherRoutes(parts),
  ...ownAppsRoutes(parts),
  ...tokenRoutes(parts),
  ...deviceRoutes(parts),
  ...peopleRoutes(people),
  ...auditRoutes(parts),
  ...relayRoutes(parts),
  ...descriptionRoutes(parts),
  ...webRoutes(parts),
  ...operationsRoutes(parts),
});

/** Creates the store as one HTTP application. `listen` serves it on a port. */
export function createStore(parts: StoreParts): {
  app: Hono<Env>;
  answerFromMemory: AnswerFromMemory;
  /** Looks for changes of other processes, and drops what is stale. */
  followChanges(): Promise<void>;
  /** Whether the address of the store is https. */
  isHttps: boolean;
  /** Compares the database with what is kept beside the bundles, and with what this process knows. */
  dataChecks: DataChecks;
  /** Writes the last use of tokens. */
  writeUses(): Promise<void>;
  /** Counts the downloads that were queued. */
  writeInstalls(): Promise<void>;
  /** What the core asks the extensions. */
  hooks: Hooks;
  /** The mails of the extensions. */
  letters: Letters;
  /** The work that the extensions repeat. */
  jobs: readonly Job[];
  /** The commands of the extensions that need all parts, by their names. */
  commands: Readonly<Record<string, (args: GivenArgs) => Promise<string>>>;
  /** The link with which the first administrator is created; null once there is one. */
  setupLink(): Promise<string | null>;
} {
  const shared = createSharedParts(parts);
  const { all, open, letters } = openExtensions({ ...parts, ...parts.stores, ...shared });
  const apiAt = parts.routeNames.has('docs') ? '/api/docs' : '/api/openapi.json';
  const app = new Hono<Env>({
    getPath: (request) => open.reduce((path, { pathOf }) => pathOf?.(path) ?? path, getPath(request)),
  });
  const { invalidate: onChange, follow } = shared.invalidation;
  parts.brandBook.onChange(onChange);
  app.use(observe({ ...all, onChange }));
  app.onError(onError(all));
  app.notFound((c) => {
    const isPage = prefersPage(c);
    if (isPage) c.set('isPage', true);
    c.header('Vary', 'Accept', { append: true });
    return answerRefusal(
      c,
      new ApiError(
        'not_found',
        isPage ? 'There is no page at this address.' : `There is no endpoint at this address. See ${apiAt}.`,
      ),
    );
  });
  const people = { ...all, isInvitation: (link: string) => isOpenInvitation(all, link) };
  const handlers = Object.assign(featureRoutes(all, people), ...open.map(({ routes }) => routes));
  bindRoutes(app, { ...all, proveInForm: createProofInForm(people) }, handlers);
  const fromMemory = answerFromMemory(all);
  return {
    app,
    answerFromMemory: (request, response, ordinary) =>
      parts.accessRules.now().read === 'public' && fromMemory(request, response, ordinary),
    followChanges: () => follow(() => Promise.all([parts.accessRules.refresh(), parts.brandBook.refresh()])),
    isHttps: all.baseUrl.startsWith('https:'),
    dataChecks: createDataChecks(all),
    writeUses: shared.writeUses,
    writeInstalls: shared.writeInstalls,
    hooks: all.hooks,
    letters,
    jobs: open.flatMap(({ jobs = [] }) => jobs),
    commands: Object.assign({}, ...open.map(({ commands }) => commands)),
    setupLink: () => setupLink(all),
  };
}
