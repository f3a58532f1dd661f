import type { Extension } from '../../core/access/extension.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { withQueries } from '../../core/domain/parts/with-queries.ts';
import type { UploadBounds } from '../../core/publishing/bounds.ts';
import type { BundleInspector } from '../../core/publishing/inspection-queues.ts';
import { createIntake } from '../../core/publishing/intake.ts';
import type { SubmitStores } from '../../core/publishing/submit-version.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import { upstreamCommands, upstreamQueries } from './commands.ts';
import { createImporter } from './import-export.ts';
import { upstreamRoutes } from './routes.ts';
import { createSync, type SyncDeps } from './sync.ts';

type Needs = Omit<SyncDeps, 'upstreams' | 'unitOfWork' | 'intake'> &
  Pick<Parts, 'db' | 'apps'> & {
    unitOfWork: UnitOfWork<SubmitStores>;
    inspector: BundleInspector;
    uploadBounds: UploadBounds;
  };

/** Apps of other stores, with what those stores signed. */
export const upstreams: Extension<Needs> = {
  name: 'upstreams',
  commands: upstreamCommands,
  open(parts) {
    const own = withQueries<SubmitStores, Needs, ReturnType<typeof upstreamQueries>>(parts, upstreamQueries);
    const intake = createIntake(parts.inspector, parts.uploadBounds);
    const sync = createSync({ ...own, intake });
    const importExport = createImporter({ ...own, intake }, sync.steps);
    // Each process has a pause of its own: the stores that carry from one upstream do not ask it at the same time.
    const seconds = 17 + 6 * Math.random();
    return {
      routes: upstreamRoutes(own),
      commands: {
        'upstream import': ({ operands: [file = ''], options }) =>
          importExport(file, (options.with as string[] | undefined) ?? []),
      },
      jobs: [
        { what: 'Following upstreams', seconds: [5, seconds], ...sync.following },
        { what: 'Reading events of upstreams', seconds: [7, 3 + 2 * Math.random()], ...sync.events },
        { what: 'Carrying apps of upstreams', seconds: [6, seconds], ...sync.carrying },
      ],
    };
  },
};
