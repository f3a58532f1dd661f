import type { ServerLister } from '../core/domain/tools/served.ts';
import type { MailServer } from '../core/mail/send-mails.ts';
import { type Provider, type Providers, providerAway, providerService } from '../core/people/provider.ts';
import type { Sites } from '../core/publishers/site.ts';
import type { Outages } from '../platform/outages.ts';
import { withinTimeout } from '../platform/probe.ts';
import { UnavailableError } from '../platform/unavailable-error.ts';

/** The names of services in *Health*, the metrics and the log. */
const MAIL = 'mail server';
const WEBSITES = 'websites of publishers';
const SERVERS = 'servers of apps';
const RECEIVERS = 'receivers of webhooks';

/** Each of these has many peers, of which some are always away: so many tries in a row must fail. */
const TRIES = 3;

/** Beginnings of faults of a website or name server that did answer. */
const ANSWERS = ['There is no such name', 'The name exists', 'It answers', 'It has more'];

/** Records the tries of a sign-in provider. */
function watchProvider(outages: Outages, provider: Provider): Provider {
  const name = providerService(provider.id);
  outages.add(name);
  /** A user does not wait for the timeout of a provider that is known to be down. */
  const soon = async <T>(work: Promise<T>): Promise<T> => {
    if (!outages.isDown(name)) return work;
    return withinTimeout(work).catch((cause: unknown) => {
      throw cause instanceof UnavailableError ? cause : providerAway(provider, cause);
    });
  };
  return {
    ...provider,
    check: () => outages.watch(name, provider.check),
    begin: (...given) => outages.watch(name, () => soon(provider.begin(...given))),
    end: (...given) => outages.watch(name, () => provider.end(...given)),
    confirm: (...given) => outages.watch(name, () => provider.confirm(...given)),
    readLogout: (token) => outages.watch(name, () => provider.readLogout(token)),
  };
}

export const watchProviders = (outages: Outages, providers: Providers): Providers =>
  new Map([...providers].map(([id, provider]) => [id, watchProvider(outages, provider)]));

/** Records the tries of a mail server. */
export function watchMail(outages: Outages, transport: MailServer): MailServer {
  outages.add(MAIL);
  // Each error of a mail server is one of the server, and says why without a secret.
  const watched = <T>(work: () => Promise<T>) =>
    outages.watch(MAIL, work, (error) => (error as Error).message);
  return {
    send: (mail) => watched(() => transport.send(mail)),
    check: () => watched(transport.check),
  };
}

function faultIn(answer: object): string | null {
  const fault = 'fault' in answer ? String(answer.fault) : null;
  return fault === null || ANSWERS.some((text) => fault.startsWith(text)) ? null : fault;
}

/** Records which websites and receivers of webhooks answer. */
export function watchSites(outages: Outages, sites: Sites): Sites {
  for (const name of [WEBSITES, RECEIVERS]) outages.add(name, TRIES);
  return {
    ...sites,
    async txt(name) {
      const answer = await sites.txt(name);
      outages.tried(WEBSITES, faultIn(answer), name);
      return answer;
    },
    async file(host, path, options) {
      const answer = await sites.file(host, path, options);
      outages.tried(WEBSITES, faultIn(answer), host);
      return answer;
    },
    async post(url, headers, body) {
      const answer = await sites.post(url, headers, body);
      outages.tried(RECEIVERS, faultIn(answer), new URL(url).host);
      return answer;
    },
  };
}

/** Records which servers of apps answer. */
export function watchServers(outages: Outages, lister: ServerLister): ServerLister {
  outages.add(SERVERS, TRIES);
  return {
    async list(app, options) {
      const listed = await lister.list(app, options);
      const host = app.remote ? new URL(app.remote.mcpUrl).host : '';
      if (!options?.signal?.aborted)
        outages.tried(SERVERS, listed.is === 'not-answering' ? listed.fault : null, host);
      return listed;
    },
  };
}
