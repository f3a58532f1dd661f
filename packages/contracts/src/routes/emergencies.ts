import * as emergencies from '../records/emergencies.ts';
import { route } from './route.ts';

/** Routes of administrators that stop a malicious publisher or app in one act. */
export const emergencyRoutes = {
  previewEmergency: route.administration('GET /api/admin/emergencies/preview', {
    summary: 'Preview what an emergency on a publisher or an app reaches. Changes nothing.',
    auth: 'admin',
    query: emergencies.EmergencyTarget,
    success: { status: 200, body: emergencies.EmergencyPreview },
    errors: ['not_found'],
  }),
  emergencies: route.administration('GET /api/admin/emergencies', {
    summary: 'List the last 100 emergencies, newest first.',
    auth: 'admin',
    success: { status: 200, body: emergencies.Emergencies },
  }),
  startEmergency: route.administration('POST /api/admin/emergencies', {
    summary:
      'Yank all versions of a publisher or an app, suspend it, revoke tokens and end sessions, in one act. Above the installs of the policy it waits for a second administrator.',
    auth: 'admin',
    freshProof: true,
    body: emergencies.NewEmergency,
    success: { status: 201, body: emergencies.Emergency },
    errors: ['not_found'],
  }),
  confirmEmergency: route.administration('POST /api/admin/emergencies/:id/confirm', {
    summary: 'Confirm an emergency of another administrator, which carries it out.',
    auth: 'admin',
    freshProof: true,
    params: emergencies.EmergencyParam,
    success: { status: 200, body: emergencies.Emergency },
    errors: ['not_found', 'already_handled'],
  }),
  refuseEmergency: route.administration('POST /api/admin/emergencies/:id/refuse', {
    summary: 'Refuse an emergency that waits for confirmation, or take back your own.',
    auth: 'admin',
    params: emergencies.EmergencyParam,
    body: emergencies.EmergencyAnswer,
    success: { status: 200, body: emergencies.Emergency },
    errors: ['not_found', 'already_handled'],
  }),
  undoEmergency: route.administration('POST /api/admin/emergencies/:id/undo', {
    summary:
      'Undo an emergency: publish the versions that it yanked, and end the suspension. Revoked tokens and ended sessions do not come back.',
    auth: 'admin',
    freshProof: true,
    params: emergencies.EmergencyParam,
    body: emergencies.EmergencyAnswer,
    success: { status: 200, body: emergencies.Emergency },
    errors: ['not_found', 'already_handled'],
  }),
};
