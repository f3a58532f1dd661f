import type { HandlersOf } from '../../core/access/extension.ts';
import { publisherTokenName } from '../../core/domain/identity/caller.ts';
import { type NameStores, namesOnRecord, unique } from '../../core/domain/identity/names-on-record.ts';
import {
  confirmEmergency,
  type EmergencyDeps,
  previewEmergency,
  refuseEmergency,
  startEmergency,
  undoEmergency,
} from './act.ts';

export const emergencyRoutes = (deps: EmergencyDeps & NameStores) =>
  ({
    previewEmergency: async ({ query }) => {
      const { target: _target, ...preview } = await previewEmergency(deps, query);
      return preview;
    },
    emergencies: async () => {
      const emergencies = await deps.emergencies.list();
      const named = emergencies.flatMap((one) => [
        ...[one.startedBy, one.decidedBy, one.undoneBy],
        publisherTokenName(one.publisher),
      ]);
      const apps = await deps.emergencies.newestOf(unique(emergencies.map(({ appId }) => appId)));
      return {
        emergencies,
        names: await namesOnRecord(deps, unique(named)),
        apps: Object.fromEntries(apps),
      };
    },
    startEmergency: ({ caller, body }) => startEmergency(deps, caller, body),
    confirmEmergency: ({ caller, params }) => confirmEmergency(deps, caller, params.id),
    refuseEmergency: ({ caller, params, body }) => refuseEmergency(deps, caller, params.id, body.reason),
    undoEmergency: ({ caller, params, body }) => undoEmergency(deps, caller, params.id, body.reason),
  }) satisfies HandlersOf<'emergencies'>;
