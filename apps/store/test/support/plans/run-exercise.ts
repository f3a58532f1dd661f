import { writeFileSync } from 'node:fs';
import { openPostgres } from '../../../src/adapters/postgres/open-postgres.ts';
import { openSqlite } from '../../../src/adapters/sqlite/open-sqlite.ts';
import { exerciseQueries } from './exercise.ts';
import { startRecording } from './record.ts';

// A program of its own, so that Node's coverage of it tells which queries were not exercised: database and the file for what was recorded.
const [database = '', out = ''] = process.argv.slice(2);
const recording = startRecording();
const silent = { info() {}, warn() {}, error() {} };
const db = database.startsWith('postgres') ? await openPostgres(database, silent) : openSqlite(database);
await exerciseQueries(db, recording.sentBy);
await db.destroy();
writeFileSync(out, JSON.stringify([...recording.all.values()]));
