import * as reports from '../records/reports.ts';
import { App, quotaHeaders, Version } from './parts.ts';
import { route } from './route.ts';

/** Reports of apps by users, and their decisions by moderators. */
export const reportRoutes = {
  reportApp: route.catalogue('POST /api/apps/:appId/reports', {
    summary:
      'Report an app to the moderators of the store, or add to your open report. The publisher does not see who reports.',
    auth: 'developer',
    provenAddress: true,
    params: App,
    body: reports.NewReport,
    success: { status: 201, body: reports.Report },
    headers: quotaHeaders('reports of one user'),
    errors: ['forbidden', 'not_found', 'already_handled', 'rate_limited'],
  }),
  myReports: route.people('GET /api/people/me/reports', {
    summary: 'List your last 100 reports of apps, with their states.',
    auth: 'developer',
    success: { status: 200, body: reports.MyReports },
    errors: ['forbidden'],
  }),
  reportedVersions: route.moderation('GET /api/moderation/reports', {
    summary: 'List the reported versions, the most serious first. Without those of your own publishers.',
    auth: 'moderator',
    success: { status: 200, body: reports.ReportedVersions },
  }),
  decideReports: route.moderation('POST /api/moderation/apps/:appId/versions/:version/reports', {
    summary: 'Decide on the open reports of a version. To stop the version, yank it.',
    auth: 'moderator',
    params: Version,
    body: reports.ReportDecision,
    success: { status: 200, body: reports.DecidedReports },
    errors: ['not_found', 'already_handled'],
  }),
};
