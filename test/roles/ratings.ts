import { everybody, get, moderators, people, type Rows } from './answers.ts';
import type { Role, World } from './world.ts';

/** An app to rate; every role has its own installation. */
async function installedBy(world: World, role: Role) {
  const { appId, path } = await world.published();
  const installId = `installation-of-${role}`;
  await world.store.call('GET', `${path}/bundle`, { headers: { 'x-svc-install-id': installId } });
  return { path: `/api/apps/${appId}/reviews/mine`, json: { rating: 4, installId } };
}

const members = { ...people('not_a_member'), member: 200, owner: 200 };

/** Routes of reviews. */
export const ratingsRows = {
  reviews: {
    ask: async (world) => ({ method: 'GET', path: (await world.rated()).reviews }),
    answers: everybody(200),
  },
  myReview: {
    ask: async (world) => ({ method: 'GET', path: `${(await world.rated()).reviews}/mine` }),
    answers: people(200),
  },
  writeReview: {
    ask: async (world, role) => ({ method: 'PUT', ...(await installedBy(world, role)) }),
    // Members cannot rate their own apps.
    answers: { ...people(200), member: 'forbidden', owner: 'forbidden' },
  },
  deleteReview: {
    ask: async (world, role) => {
      const { path, json } = await installedBy(world, role);
      await world.ask(role, { method: 'PUT', path, json });
      return { method: 'DELETE', path };
    },
    answers: { ...people(200), member: 'not_found', owner: 'not_found' },
  },
  reply: {
    ask: async (world) => {
      const { reviews, id } = await world.rated();
      return { method: 'PUT', path: `${reviews}/${id}/reply`, json: { body: 'Thank you.' } };
    },
    answers: members,
  },
  deleteReply: {
    ask: async (world) => {
      const { reviews, id } = await world.rated({ answered: true });
      return { method: 'DELETE', path: `${reviews}/${id}/reply` };
    },
    answers: { ...members, moderator: 200, administrator: 200 },
  },
  flagReview: {
    ask: async (world) => {
      const { reviews, id } = await world.rated();
      return { method: 'POST', path: `${reviews}/${id}/flag`, json: { reason: 'spam' } };
    },
    answers: people(200),
  },
  reportApp: {
    ask: async (world) => ({
      method: 'POST',
      path: `/api/apps/${(await world.published()).appId}/reports`,
      json: { category: 'malware', evidence: 'It sends notes to another server.' },
    }),
    answers: {
      ...everybody(201),
      nobody: 'unauthorized',
      suspended: 'unauthorized',
      automation: 'forbidden',
    },
  },
  myReports: {
    ask: get('/api/people/me/reports'),
    answers: {
      ...everybody(200),
      nobody: 'unauthorized',
      suspended: 'unauthorized',
      automation: 'forbidden',
    },
  },
  reportedVersions: { ask: get('/api/moderation/reports'), answers: moderators(200) },
  decideReports: {
    ask: async (world) => {
      const { appId } = await world.published();
      const json = { category: 'malware', evidence: 'It sends notes to another server.' };
      await world.ask('person', { method: 'POST', path: `/api/apps/${appId}/reports`, json });
      const path = `/api/moderation/apps/${appId}/versions/1.0.0/reports`;
      return { method: 'POST', path, json: { outcome: 'upheld', note: 'It was yanked.' } };
    },
    answers: moderators(200),
  },
  flaggedReviews: { ask: get('/api/moderation/reviews'), answers: moderators(200) },
  hideReview: {
    ask: async (world) => ({
      method: 'POST',
      path: `/api/moderation/reviews/${(await world.rated()).id}/hide`,
      json: { note: 'It names somebody.' },
    }),
    answers: moderators(200),
  },
  keepReview: {
    ask: async (world) => {
      const { reviews, id } = await world.rated();
      await world.ask('owner', { method: 'POST', path: `${reviews}/${id}/flag`, json: { reason: 'spam' } });
      return { method: 'POST', path: `/api/moderation/reviews/${id}/keep` };
    },
    answers: moderators(200),
  },
} satisfies Rows;
