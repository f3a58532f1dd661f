import { type SqlBool, sql } from 'kysely';
import { allOf } from '../../../platform/database/queries.ts';
import type { Database } from '../../../platform/database/schema.ts';
import { personId, personName } from '../identity/caller.ts';
import type { MemberStore } from '../identity/member-store.ts';
import type { ReviewStore } from './review-store.ts';

/** Publishers, and stopped publishers and apps, that are listed of the people behind one. */
const LISTED = 100;

/** What was stopped: a publisher, or one of its apps. */
export type Stopped = { publisher: string; appId: string | null };

/** Finds what users did under any publisher. */
export const createPeopleRecordStore = (db: Database) => ({
  /** The publishers that some users are members of, or ever uploaded a version for. Moderators also act on those of others. */
  async publishersOf(people: readonly string[]): Promise<string[]> {
    const actors = people.map(personName);
    const now = db.selectFrom('members').select('publisher').where('person_id', 'in', people);
    const ever = db
      .selectFrom('audit_log')
      .select((entry) => entry.ref('publisher').$castTo<string>().as('publisher'))
      .where('actor', 'in', actors)
      // By the index of actors: SQLite would read the submissions of all users.
      .where(sql<SqlBool>`action || '' = 'version.submit'`)
      .where('publisher', 'is not', null);
    return allOf(now.union(ever).limit(LISTED), ({ publisher }) => publisher);
  },
  /** What the store stopped of some publishers: what is suspended now, but for servers that changed, and emergencies that stand. */
  async stoppedOf(publishers: readonly string[]): Promise<Stopped[]> {
    const suspended = db
      .selectFrom('publishers')
      .select((row) => ['slug as publisher', row.val<string | null>(null).as('appId')])
      .where('slug', 'in', publishers)
      .where('suspended', '=', 1);
    const apps = db
      .selectFrom('apps')
      .select(['publisher', 'app_id as appId'])
      .where('publisher', 'in', publishers)
      .where('suspended', '=', 1)
      .where('suspension_json', 'not like', '%"flagged:tools.drift"%');
    const emergencies = db
      .selectFrom('emergencies')
      .select(['publisher', 'app_id as appId'])
      .where('publisher', 'in', publishers)
      .where('state', '=', 'done');
    const found: Stopped[] = [
      ...(await suspended.limit(LISTED).execute()),
      ...(await apps.limit(LISTED).execute()),
      ...(await emergencies.limit(LISTED).execute()),
    ];
    return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()].slice(0, LISTED);
  },
});

export type PeopleRecordStore = ReturnType<typeof createPeopleRecordStore>;

type RecordStores = {
  members: Pick<MemberStore, 'of'>;
  peopleRecord: PeopleRecordStore;
};

/** The publishers of the people behind a version: the members of its publisher, and the user who uploaded it. */
async function publishersBehind(
  { members, peopleRecord }: RecordStores,
  { publisher, submittedBy }: { publisher: string; submittedBy: string },
): Promise<string[]> {
  const uploader = personId(submittedBy);
  const people = [
    ...(await members.of(publisher)).map((member) => member.personId),
    ...(uploader === null ? [] : [uploader]),
  ];
  return [...new Set([publisher, ...(people.length === 0 ? [] : await peopleRecord.publishersOf(people))])];
}

/** What the store stopped of the people behind a version. */
export const stoppedBehind = async (
  stores: RecordStores,
  version: { publisher: string; submittedBy: string },
): Promise<Stopped[]> => stores.peopleRecord.stoppedOf(await publishersBehind(stores, version));

/** The record of the people behind a version, under any publisher. */
export async function peopleRecordOf(
  stores: RecordStores & { reviews: Pick<ReviewStore, 'recordOf'> },
  version: { publisher: string; submittedBy: string },
) {
  const publishers = await publishersBehind(stores, version);
  const [record, stopped] = await Promise.all([
    stores.reviews.recordOf(publishers),
    stores.peopleRecord.stoppedOf(publishers),
  ]);
  return { publishers, ...record, stopped };
}
