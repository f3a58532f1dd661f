import { z } from 'zod';
import * as policy from '../records/policy.ts';
import * as reports from '../records/reports.ts';
import { quotaHeaders, route } from './route.ts';

/** Reports of apps by users, and their decisions by moderators. */
export const reportRoutes = {
  reportApp: route.catalogue('developer POST /api/apps/:appId/reports', {
    summary:
      'Report an app to the moderators of the store, or add to your open report. The publisher does not see who reports.',
    effects: ['writes'],
    provenAddress: true,
    body: reports.NewReport,
    success: { status: 201, body: reports.Report },
    headers: quotaHeaders('reports of one user'),
    errors: ['forbidden', 'not_found', 'already_handled', 'rate_limited'],
  }),
  myReports: route.people('developer GET /api/people/me/reports', {
    summary: 'List your last 100 reports of apps, with their states.',
    success: { status: 200, body: reports.MyReports },
    errors: ['forbidden'],
  }),
  reportedVersions: route.moderation('moderator GET /api/moderation/reports', {
    summary: 'List the reported versions, the most serious first. Without those of your own publishers.',
    success: { status: 200, body: reports.ReportedVersions },
  }),
  decideReports: route.moderation('moderator POST /api/moderation/apps/:appId/versions/:version/reports', {
    summary: 'Decide on the open reports of a version. To stop the version, yank it.',
    effects: ['decides'],
    body: reports.ReportDecision,
    success: { status: 200, body: reports.DecidedReports },
    errors: ['not_found', 'already_handled'],
  }),
};

const Decided = z.object({ id: z.string().min(1).max(100).describe('Id of the decision.') });

/** The published policy, whose rules decisions cite. */
export const policyRoutes = {
  policy: route.service('everyone GET /api/policy', {
    summary: 'Get the policy of the store, whose rules decisions cite.',
    query: policy.PolicyQuery,
    success: { status: 200, body: policy.Policy },
    errors: ['not_found'],
  }),
  policyPage: route.service('everyone GET /policy', {
    summary: 'Page with the policy of the store, and its history.',
    page: true,
    query: policy.PolicyQuery,
    errors: ['not_found'],
  }),
  changePolicy: route.administration('admin PUT /api/admin/policy', {
    summary: 'Publish a new version of the policy. Earlier versions stay readable: decisions cite them.',
    effects: ['changes-store'],
    body: policy.PolicyChange,
    success: { status: 200, body: policy.Policy },
    errors: ['already_handled'],
  }),
};

/** What the store decided in a year. */
export const transparencyRoutes = {
  transparency: route.service('everyone GET /api/transparency', {
    summary: 'Count the decisions, appeals and reports of a year.',
    query: policy.TransparencyQuery,
    success: { status: 200, body: policy.Transparency },
  }),
  transparencyPage: route.service('everyone GET /transparency', {
    summary: 'Page with the decisions, appeals and reports of a year.',
    page: true,
    query: policy.TransparencyQuery,
  }),
};

/** The decisions about a publisher, and their appeals. */
export const appealRoutes = {
  decisions: route.publishers('person GET /api/publishers/:slug/decisions', {
    summary: 'List the last 100 decisions of the store about a publisher and its apps, with their appeals.',
    success: { status: 200, body: policy.Decisions },
    errors: ['not_a_member'],
  }),
  appeal: route.publishers('person POST /api/publishers/:slug/decisions/:id/messages', {
    summary: 'Appeal a decision within 90 days, or write in its open appeal. Another moderator decides.',
    effects: ['writes'],
    params: Decided,
    body: policy.AppealText,
    success: { status: 201, body: policy.Decision },
    errors: ['not_a_member', 'not_found', 'already_handled', 'limit_reached'],
  }),
  openAppeals: route.moderation('moderator GET /api/moderation/appeals', {
    summary: 'List the open appeals, the longest waiting first; at most 100.',
    success: { status: 200, body: policy.OpenAppeals },
  }),
  answerAppeal: route.moderation('moderator POST /api/moderation/appeals/:id/messages', {
    summary: 'Write to the publisher in an open appeal.',
    effects: ['writes'],
    params: Decided,
    body: policy.AppealText,
    success: { status: 201, body: policy.Decision },
    errors: ['not_found', 'already_handled', 'limit_reached'],
  }),
  decideAppeal: route.moderation('moderator POST /api/moderation/appeals/:id/decide', {
    summary:
      'Decide an appeal: uphold the decision, or reverse it. A rejected version returns to the queue; administrators reverse yanks and suspensions.',
    effects: ['publishes-again'],
    params: Decided,
    body: policy.AppealDecision,
    success: { status: 200, body: policy.Decision },
    errors: ['not_found', 'already_handled'],
  }),
};
