import * as reports from '../records/reports.ts';
import { App, quotaHeaders, Version } from './parts.ts';
import type { Route } from './route.ts';

/** Reports of apps by users, and their decisions by moderators. */
export const reportRoutes = {
  reportApp: {
    method: 'post',
    path: '/api/apps/:appId/reports',
    tag: 'Catalogue',
    summary:
      'Report an app to the moderators of the store, or add to your open report. The publisher does not see who reports.',
    auth: 'developer',
    provenAddress: true,
    params: App,
    body: reports.NewReport,
    success: { status: 201, body: reports.Report },
    headers: quotaHeaders('reports of one user'),
    errors: ['forbidden', 'not_found', 'already_handled', 'rate_limited'],
  },
  myReports: {
    method: 'get',
    path: '/api/people/me/reports',
    tag: 'People',
    summary: 'List your last 100 reports of apps, with their states.',
    auth: 'developer',
    success: { status: 200, body: reports.MyReports },
    errors: ['forbidden'],
  },
  reportedVersions: {
    method: 'get',
    path: '/api/moderation/reports',
    tag: 'Moderation',
    summary: 'List the reported versions, the most serious first. Without those of your own publishers.',
    auth: 'moderator',
    success: { status: 200, body: reports.ReportedVersions },
    errors: [],
  },
  decideReports: {
    method: 'post',
    path: '/api/moderation/apps/:appId/versions/:version/reports',
    tag: 'Moderation',
    summary: 'Decide on the open reports of a version. To stop the version, yank it.',
    auth: 'moderator',
    params: Version,
    body: reports.ReportDecision,
    success: { status: 200, body: reports.DecidedReports },
    errors: ['not_found', 'already_handled'],
  },
} as const satisfies Record<string, Route>;
