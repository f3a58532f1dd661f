import type { NewPublisher, PublishResult } from '@svc/contracts';

/** A version of an app. */
type Ref = Pick<PublishResult, 'appId' | 'version'>;

/** Fills a store through its API. Every request must succeed; otherwise it rejects with the response of the store. */
export type Automation = {
  /** Sends a JSON request. */
  ask<T = unknown>(method: string, path: string, json?: object): Promise<T>;
  addPublisher(publisher: NewPublisher): Promise<void>;
  /** Creates a token that can only publish for a publisher. */
  publisherToken(publisher: string): Promise<string>;
  /**
   * Uploads a bundle.
   * @param bearer token of the publisher; automation by default
   * @returns the status of the version
   */
  upload(bundle: Uint8Array, bearer?: string): Promise<PublishResult>;
  /** Approves a version, like a moderator. */
  approve(ref: Ref): Promise<void>;
  /** Uploads a bundle, and approves it if it is in review. */
  publish(bundle: Uint8Array, bearer?: string): Promise<PublishResult>;
  yank(ref: Ref, reason: string): Promise<void>;
};

const at = ({ appId, version }: Ref): string =>
  `/${encodeURIComponent(appId)}/versions/${encodeURIComponent(version)}`;

/**
 * @param store the base URL of a store, without a trailing slash
 * @param token a bearer with every role
 */
export function automationOf(store: string, token: string): Automation {
  async function send<T>(
    method: string,
    path: string,
    {
      bearer = token,
      type = 'application/json',
      body,
    }: { bearer?: string; type?: string; body?: string | Uint8Array<ArrayBuffer> },
  ): Promise<T> {
    // One connection for each request: on a busy machine the store may close an idle one while the next request is sent on it.
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': type, connection: 'close' };
    const answer = await fetch(store + path, { method, headers, ...(body !== undefined && { body }) });
    if (!answer.ok)
      throw new Error(`The store answers ${method} ${path} with ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  const ask = <T = unknown>(method: string, path: string, json?: object): Promise<T> =>
    send(method, path, json ? { body: JSON.stringify(json) } : {});

  const upload = (bundle: Uint8Array, bearer = token): Promise<PublishResult> =>
    send('POST', '/api/apps/publish', {
      bearer,
      type: 'application/zip',
      body: bundle as Uint8Array<ArrayBuffer>,
    });

  const approve = async (ref: Ref): Promise<void> => {
    await ask('POST', `/api/moderation/apps${at(ref)}/approve`, {});
  };

  return {
    ask,
    upload,
    approve,
    async addPublisher(publisher) {
      await ask('POST', '/api/admin/publishers', publisher);
    },
    publisherToken: async (publisher) =>
      (await ask<{ token: string }>('POST', '/api/admin/tokens', { publisher })).token,
    async publish(bundle, bearer) {
      const version = await upload(bundle, bearer);
      if (version.status === 'in_review') await approve(version);
      return version;
    },
    async yank(ref, reason) {
      await ask('POST', `/api/apps${at(ref)}/yank`, { reason });
    },
  };
}
