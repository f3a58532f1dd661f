import type { AppState, Deprecations } from '@svc/contracts';
import { firstOf, hasChanged, hasRow, insertMissing } from '../../../platform/database/queries.ts';
import type { Database } from '../../../platform/database/schema.ts';
import { flag } from '../../../platform/database/tables/columns.ts';
import { updateVisibilityOfApp } from '../../../platform/database/visibility.ts';
import type { Mover } from './changes.ts';

/** An app that its publisher offers to another one. */
export type Offer = { to: string; by: string; at: string };

/** The life of an app after its publication: whether lists show it, what replaces it, and to whom it is offered. */
export type AppLife = AppState & { offer: Offer | null };

/** States in which the store itself works on a version. */
const MOVING = ['submitted', 'checking', 'approved'];

/** The tables of an app, those that refer to others first. */
const TABLES_OF_APP = [
  'review_messages',
  'version_moves',
  'tool_records',
  'server_checks',
  'reviewer_accounts',
  'trusted_publishers',
  'tokens',
  'app_figures',
  'install_counts',
  'versions',
  'apps',
] as const;

const TABLES_OF_PUBLISHER = [
  'members',
  'invitations',
  'tokens',
  'trusted_publishers',
  'name_keys',
  'name_requests',
] as const;

/** Stores how apps and publishers end, and move. */
export function createLifeStore(db: Database) {
  return {
    find: (appId: string): Promise<AppLife | null> =>
      firstOf(
        db
          .selectFrom('apps')
          .select(['delisted', 'deprecation_json', 'offer_json'])
          .where('app_id', '=', appId),
        (row) => ({
          delisted: row.delisted === 1,
          deprecation: row.deprecation_json && JSON.parse(row.deprecation_json),
          offer: row.offer_json && JSON.parse(row.offer_json),
        }),
      ),
    /** Sets whether lists show an app, and what replaces it. */
    async setState(appId: string, { delisted, deprecation }: AppState, _mover: Mover): Promise<void> {
      await db
        .updateTable('apps')
        .set({ delisted: flag(delisted), deprecation_json: deprecation && JSON.stringify(deprecation) })
        .where('app_id', '=', appId)
        .execute();
      await updateVisibilityOfApp(db, appId);
    },
    /** Records why a version should not be used any more; null ends that. Returns false for an unknown version. */
    deprecate: (appId: string, version: string, note: string | null, _mover: Mover): Promise<boolean> =>
      hasChanged(
        db
          .updateTable('versions')
          .set({ deprecated: note })
          .where('app_id', '=', appId)
          .where('version', '=', version),
      ),
    /** The notes of the deprecated versions of an app. */
    async deprecatedOf(appId: string): Promise<Map<string, string>> {
      const rows = await db
        .selectFrom('versions')
        .select(['version', 'deprecated'])
        .where('app_id', '=', appId)
        .where('deprecated', 'is not', null)
        .execute();
      return new Map(rows.map(({ version, deprecated }) => [version, deprecated ?? '']));
    },
    /** What is said of some listed or delisted apps and their published versions. */
    async deprecationsOf(appIds: readonly string[]): Promise<Deprecations['apps']> {
      const rows = await db
        .selectFrom('listings as l')
        .innerJoin('apps as a', 'a.app_id', 'l.app_id')
        .leftJoin('versions as v', (join) =>
          join
            .onRef('v.app_id', '=', 'l.app_id')
            .on('v.deprecated', 'is not', null)
            .on('v.state', '=', 'published'),
        )
        .select(['l.app_id', 'a.deprecation_json', 'v.version', 'v.deprecated'])
        .where('l.app_id', 'in', appIds)
        .where('l.hidden', '<>', 1)
        .where((where) =>
          where.or([where('a.deprecation_json', 'is not', null), where('v.version', 'is not', null)]),
        )
        .orderBy('l.app_id')
        .execute();
      return [...Map.groupBy(rows, ({ app_id }) => app_id)].map(([appId, own]) => {
        const json = own[0]?.deprecation_json ?? null;
        const notes = own.flatMap(({ version, deprecated }) =>
          version === null ? [] : [[version, deprecated ?? '']],
        );
        return {
          appId,
          ...(json !== null && { deprecation: JSON.parse(json) }),
          versions: Object.fromEntries(notes),
        };
      });
    },
    async setOffer(appId: string, offer: Offer | null): Promise<void> {
      const offer_json = offer && JSON.stringify(offer);
      await db
        .updateTable('apps')
        .set({ offer_json, offered_to: offer?.to ?? null })
        .where('app_id', '=', appId)
        .execute();
    },
    /** The apps that are offered to a publisher. */
    async offersTo(publisher: string): Promise<({ appId: string; from: string } & Offer)[]> {
      const rows = await db
        .selectFrom('apps')
        .select(['app_id', 'publisher', 'offer_json'])
        .where('offered_to', '=', publisher)
        .orderBy('app_id')
        .execute();
      return rows.map(({ app_id: appId, publisher: from, offer_json }) => ({
        appId,
        from,
        ...(JSON.parse(offer_json ?? '{}') as Offer),
      }));
    },
    /** What binds an app to its publisher: a version that was published, one of those that was yanked, one that the store works on, one in review. */
    async ties(
      appId: string,
    ): Promise<{ released: boolean; yanked: boolean; moving: boolean; inReview: boolean }> {
      const rows = await db
        .selectFrom('versions')
        .select('state')
        .where('app_id', '=', appId)
        .distinct()
        .execute();
      const states = new Set(rows.map(({ state }) => state));
      return {
        released: states.has('published') || states.has('yanked'),
        yanked: states.has('yanked'),
        moving: MOVING.some((state) => states.has(state)),
        inReview: states.has('in_review'),
      };
    },
    /** Whether anyone installed an app. Installations that do not count are those beyond many that do. */
    wasUsed: (appId: string): Promise<boolean> =>
      hasRow(db.selectFrom('install_counts').select('app_id').where('app_id', '=', appId).limit(1)),
    /** Moves an app and its versions to another publisher; what the old one could publish it with ends. */
    async move(appId: string, to: string, _mover: Mover): Promise<void> {
      await db.deleteFrom('trusted_publishers').where('app_id', '=', appId).execute();
      await db.deleteFrom('tokens').where('app_id', '=', appId).execute();
      await db.deleteFrom('reviewer_accounts').where('app_id', '=', appId).execute();
      await db.updateTable('versions').set({ publisher: to }).where('app_id', '=', appId).execute();
      const ended = { offer_json: null, offered_to: null, trusted_only: 0, confirm_uploads: 0 } as const;
      await db
        .updateTable('apps')
        .set({ publisher: to, ...ended })
        .where('app_id', '=', appId)
        .execute();
    },
    /** Deletes an app, which is not listed any more, and its bundles. Its pictures stay: other apps may have the same ones. */
    async removeApp(appId: string): Promise<void> {
      await db
        .deleteFrom('used_blobs')
        .where('sha256', 'in', (bundles) =>
          bundles.selectFrom('versions').select('sha256').where('app_id', '=', appId),
        )
        .execute();
      for (const table of TABLES_OF_APP) await db.deleteFrom(table).where('app_id', '=', appId).execute();
    },
    /** Deletes a publisher without apps. */
    async removePublisher(slug: string): Promise<void> {
      for (const table of TABLES_OF_PUBLISHER)
        await db.deleteFrom(table).where('publisher', '=', slug).execute();
      await db.deleteFrom('publishers').where('slug', '=', slug).execute();
    },
    /** Records that an id of an app, or the look of a slug, is never given out again. */
    retire: (kind: 'app' | 'publisher', name: string, at: string): Promise<void> =>
      insertMissing(db.insertInto('retired_names').values({ kind, name, retired_at: at })),
    isRetired: (kind: 'app' | 'publisher', name: string): Promise<boolean> =>
      hasRow(db.selectFrom('retired_names').select('name').where('kind', '=', kind).where('name', '=', name)),
  };
}

export type LifeStore = ReturnType<typeof createLifeStore>;
