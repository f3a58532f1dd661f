import { relative } from 'node:path';
import { beforeEach, inject } from 'vitest';
import {
  BOTH_DATABASES_TAG,
  filesOf,
  JOURNEYS,
  LEFT_TO_DEEP,
  ROOT,
} from '../../../../scripts/test-projects.ts';

const journeys = new Set(filesOf(Object.keys(JOURNEYS)));

beforeEach(({ skip, task }) => {
  const server = inject('postgres');
  if ('missing' in server) skip(server.missing);
  const file = relative(ROOT, task.file.filepath).replaceAll('\\', '/');
  const isLeft = process.env.SVC_TEST_QUICK !== undefined && journeys.has(file);
  if (isLeft && !task.tags?.includes(BOTH_DATABASES_TAG)) skip(LEFT_TO_DEEP);
});
