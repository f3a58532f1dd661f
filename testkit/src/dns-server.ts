import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type Answer, decode, encode, type Question } from 'dns-packet';
import { onTestFinished } from 'vitest';

/** The response of a name server to a question: records, an error code, or none. */
export type Say = (question: Question, times: number) => Answer[] | 'NXDOMAIN' | 'SERVFAIL' | 'silence';

const CODES = { NXDOMAIN: 3, SERVFAIL: 2 };

/** A real name server, closed after the test. */
export async function startDns(say: Say) {
  const socket = createSocket('udp4');
  let times = 0;
  socket.on('message', (message, { port, address }) => {
    const { id = 0, questions = [] } = decode(message);
    const [question] = questions;
    if (!question) return;
    times += 1;
    const said = say(question, times);
    if (said === 'silence') return;
    const answers = typeof said === 'string' ? [] : said;
    // RFC 1035 section 4.1.1: the response code is in the last four bits.
    const flags = 0x8180 | (typeof said === 'string' ? CODES[said] : 0);
    socket.send(encode({ type: 'response', id, flags, questions, answers }), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}
