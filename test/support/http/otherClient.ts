/** A client next to the one that a test lets misbehave: it is served all the while. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import { expect } from 'vitest';
import { about, success } from '../graphql/faultOperations.js';
import type { Operation } from '../graphql/rootFields.js';
import type { GraphQLResponse } from './post.js';

export type OtherClient = ReturnType<typeof createOtherClient>;

export interface ServingOptions {
  /** Sends again what is shed because the event loop lags: large responses take long on a busy machine. @default false */
  mayBeShed?: boolean;
}

/** @param localAddress its address, which differs from that of the misbehaving client */
export function createOtherClient(origin: string, localAddress = '127.0.0.2') {
  const connection = new Client(origin, { localAddress });

  const send = async (operation: Operation) => {
    const { body } = await connection.request({
      path: '/graphql',
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer other' },
      body: JSON.stringify(operation),
    });
    return (await body.json()) as Partial<Pick<GraphQLResponse, 'data' | 'errors'>>;
  };

  return {
    send,
    /** Sends reads and writes, one after the other, until the attack has ended. Each gets its whole response. */
    async isServedDuring<Result>(
      attack: Promise<Result>,
      { mayBeShed = false }: ServingOptions = {},
    ): Promise<Result> {
      const state = { isOver: false };
      const over = attack.finally(() => {
        state.isOver = true;
      });
      over.catch(() => undefined); // it is awaited below
      let served = 0;
      do {
        for (const field of ['notification', 'createNotification'] as const) {
          const subject = `other ${served}`;
          let { data, errors } = await send(about(field, subject));
          while (mayBeShed && errors?.[0]?.message === 'The gateway is overloaded') {
            await sleep(100);
            ({ data, errors } = await send(about(field, subject)));
          }
          expect({ data, errors }).toEqual(success(field, subject));
          served += 1;
        }
        await sleep(5);
      } while (!state.isOver);
      console.log(`${served} requests of the other client were served`);
      return over;
    },
    close: () => connection.destroy(),
  };
}
