import type { UploadMarks } from '../../publishing/upload-quota.ts';
import type { Database } from './schema.ts';

/** Marks of uploads, in the database. */
export const createUploadMarks = (db: Database): UploadMarks => ({
  async since(developer, from) {
    const rows = await db
      .selectFrom('upload_marks')
      .select('marked_at')
      .where('developer', '=', developer)
      .where('marked_at', '>=', from)
      .orderBy('marked_at')
      .execute();
    return rows.map(({ marked_at }) => marked_at);
  },
  async add(developer, at, forgetBefore) {
    await db
      .deleteFrom('upload_marks')
      .where('developer', '=', developer)
      .where('marked_at', '<', forgetBefore)
      .execute();
    await db.insertInto('upload_marks').values({ developer, marked_at: at }).execute();
  },
});
