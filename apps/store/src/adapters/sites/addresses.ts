import type { LookupAddress } from 'node:dns';
import type { Resolver } from 'node:dns/promises';

/** The error codes of c-ares, in words for the operator of the website (Node's documentation of dns, "Error codes"). */
export const DNS_FAULTS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'There is no such name (NXDOMAIN)',
  ENODATA: 'The name exists, but has no such record',
  ESERVFAIL: 'The name server failed (SERVFAIL)',
  EREFUSED: 'The name server refused to answer',
  ETIMEOUT: 'The name server did not answer in time',
  ECANCELLED: 'The name server did not answer in time',
};

/** All addresses of a name, IPv4 and IPv6; one kind may be missing. */
export async function addressesOf(
  { resolver }: { resolver: Pick<Resolver, 'resolve4' | 'resolve6'> },
  host: string,
): Promise<LookupAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = [
    ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (found.length === 0 && four.status === 'rejected') throw four.reason;
  return found;
}
