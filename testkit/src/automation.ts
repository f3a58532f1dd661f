import type { NewPublisher, PublishResult } from '@svc/contracts';
import { type ApiRequest, apiRequest } from '@svc/contracts/client';

/** A version of an app. */
type Ref = Pick<PublishResult, 'appId' | 'version'>;

/** Fills a store through its API. Every request must succeed; otherwise it rejects with the response of the store. */
export type Automation = {
  /** Sends a request. */
  ask<T>(request: ApiRequest<T>): Promise<T>;
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

const paramsOf = ({ appId, version }: Ref): Ref => ({ appId, version });

/**
 * @param store the base URL of a store, without a trailing slash
 * @param token a bearer with every role
 */
export function automationOf(store: string, token: string): Automation {
  async function send<T>(
    { method, path, json }: ApiRequest<T>,
    bearer = token,
    bundle?: Uint8Array<ArrayBuffer>,
  ): Promise<T> {
    const type = bundle ? 'application/zip' : 'application/json';
    const body = bundle ?? (json === undefined ? undefined : JSON.stringify(json));
    // One connection for each request: on a busy machine the store may close an idle one while the next request is sent on it.
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': type, connection: 'close' };
    const answer = await fetch(store + path, { method, headers, ...(body !== undefined && { body }) });
    if (!answer.ok)
      throw new Error(`The store answers ${method} ${path} with ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  const upload = (bundle: Uint8Array, bearer = token): Promise<PublishResult> =>
    send(apiRequest('POST /api/apps/publish'), bearer, bundle as Uint8Array<ArrayBuffer>);

  const approve = async (ref: Ref): Promise<void> => {
    const endpoint = 'POST /api/moderation/apps/:appId/versions/:version/approve';
    await send(apiRequest(endpoint, { params: paramsOf(ref), json: {} }));
  };

  return {
    ask: (request) => send(request),
    upload,
    approve,
    async addPublisher(publisher) {
      await send(apiRequest('POST /api/admin/publishers', { json: publisher }));
    },
    publisherToken: async (publisher) =>
      (await send(apiRequest('POST /api/admin/tokens', { json: { publisher } }))).token,
    async publish(bundle, bearer) {
      const version = await upload(bundle, bearer);
      if (version.status === 'in_review') await approve(version);
      return version;
    },
    async yank(ref, reason) {
      const endpoint = 'POST /api/apps/:appId/versions/:version/yank';
      await send(apiRequest(endpoint, { params: paramsOf(ref), json: { reason } }));
    },
  };
}
