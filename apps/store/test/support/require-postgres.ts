import { beforeEach, inject } from 'vitest';

beforeEach(({ skip }) => {
  const server = inject('postgres');
  if ('missing' in server) skip(server.missing);
});
