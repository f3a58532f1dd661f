import type { PublishingRules } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import { type PersonCaller, requireOwner } from '../domain/identity/caller.ts';
import { recordPublisherChange } from '../domain/mail/record-publisher-change.ts';
import type { ChangeParts } from '../domain/parts/parts.ts';
import { requireOwned } from '../publishers/lives.ts';

/**
 * Sets who may publish an app.
 * @throws ApiError not_a_member, forbidden, not_found, publisher_suspended
 */
export function setPublishingRules(
  deps: ChangeParts,
  caller: PersonCaller,
  { slug: publisher, appId }: { slug: string; appId: string },
  rules: PublishingRules,
): Promise<PublishingRules> {
  requireOwner(caller, publisher);
  return deps.unitOfWork(async (stores) => {
    await requireOwned(stores, caller, publisher, 'setPublishingRules');
    if (!(await stores.apps.setRules(publisher, appId, rules)))
      throw new ApiError('not_found', `The publisher ${publisher} has no app ${appId}.`);
    const event = { action: 'app.publishing', appId, publisher, detail: { ...rules } } as const;
    await recordPublisherChange(deps, stores, caller, deps.clock().toISOString(), event);
    return rules;
  });
}
