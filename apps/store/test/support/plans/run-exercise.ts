import { writeFileSync } from 'node:fs';
import { openPostgres } from '../../../src/adapters/postgres/open-postgres.ts';
import { openSqlite } from '../../../src/adapters/sqlite/open-sqlite.ts';
import { exerciseQueries } from './exercise.ts';
import { startRecording } from './record.ts';

// A separate program, so that Node's coverage shows which queries did not run. Arguments: the database, and the file for the recorded
// queries.
const [database = '', out = ''] = process.argv.slice(2);
const recording = startRecording();
const silent = { info() {}, warn() {}, error() {} };
const db = database.startsWith('postgres') ? await openPostgres(database, silent) : openSqlite(database);
await exerciseQueries(db, recording.sentBy);
await db.destroy();
writeFileSync(out, JSON.stringify([...recording.all.values()]));
