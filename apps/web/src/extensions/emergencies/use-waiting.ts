import { apiRequest } from '@svc/contracts/client';
import { useRead } from '../../account/use-store.ts';
import { hasExtension } from '../has.ts';

/** How many emergencies wait for an administrator; none in a store without them. */
export const useWaitingEmergencies: () => number = hasExtension('emergencies')
  ? () => {
      const { data } = useRead(apiRequest('GET /api/admin/emergencies'));
      return data?.emergencies.filter(({ state }) => state === 'waiting').length ?? 0;
    }
  : () => 0;
