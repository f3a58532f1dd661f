import { request } from 'node:http';

/** A request of a program other than a browser: any header and any path, sent unchanged. */
export type Asked = {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** One of the loopback addresses. */
  host?: string;
};

export type Answered = { status: number; headers: Record<string, unknown>; body: Buffer; json(): unknown };

/** Sends one request to a port of this machine, and reads the whole response. */
export function ask(
  port: number,
  { method = 'GET', path = '/', headers = {}, body, host }: Asked,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: host ?? '127.0.0.1', port, method, path, headers, agent: false },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const whole = Buffer.concat(chunks);
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: whole,
            json: () => JSON.parse(whole.toString()),
          });
        });
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}
