import type { RouteHandler } from '../../access/bind-route.ts';
import { type NameStores, namesOnRecord, unique } from '../../domain/identity/names-on-record.ts';
import {
  confirmEmergency,
  type EmergencyDeps,
  previewEmergency,
  refuseEmergency,
  startEmergency,
  undoEmergency,
} from './act.ts';

const NO_STORE = { 'Cache-Control': 'no-store' };

export const emergencyRoutes = (deps: EmergencyDeps & NameStores) => ({
  previewEmergency: (async (c, { query }) => {
    const { target: _target, ...preview } = await previewEmergency(deps, query);
    return c.json(preview, 200, NO_STORE);
  }) satisfies RouteHandler<'previewEmergency'>,
  emergencies: (async (c) => {
    const emergencies = await deps.emergencies.list();
    const actors = emergencies.flatMap((one) => [one.startedBy, one.decidedBy, one.undoneBy]);
    return c.json({ emergencies, names: await namesOnRecord(deps, unique(actors)) }, 200, NO_STORE);
  }) satisfies RouteHandler<'emergencies'>,
  startEmergency: (async (c, { body }) =>
    c.json(
      await startEmergency(deps, c.get('caller'), body),
      201,
      NO_STORE,
    )) satisfies RouteHandler<'startEmergency'>,
  confirmEmergency: (async (c, { params }) =>
    c.json(
      await confirmEmergency(deps, c.get('caller'), params.id),
      200,
      NO_STORE,
    )) satisfies RouteHandler<'confirmEmergency'>,
  refuseEmergency: (async (c, { params, body }) =>
    c.json(
      await refuseEmergency(deps, c.get('caller'), params.id, body.reason),
      200,
      NO_STORE,
    )) satisfies RouteHandler<'refuseEmergency'>,
  undoEmergency: (async (c, { params, body }) =>
    c.json(
      await undoEmergency(deps, c.get('caller'), params.id, body.reason),
      200,
      NO_STORE,
    )) satisfies RouteHandler<'undoEmergency'>,
});
