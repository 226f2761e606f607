/** What a page does with the package for front ends, for the tests in Chromium. */
import { createElement, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { createIdempotencyKey } from '../../../src/client/index.js';
import { useWrite } from '../../../src/client/react.js';

const headers = { 'content-type': 'application/json', authorization: 'Bearer demo' };
const OUTCOME =
  'outcome evidence errors { code message retryable retryAfterSeconds requestId inputPath rule limit }';
const TRACK = `mutation Track($input: TrackShipmentInput!, $key: ID) { trackShipment(input: $input, idempotencyKey: $key) { ${OUTCOME} } }`;

async function post(uri: string, query: string, variables: object): Promise<unknown> {
  const response = await fetch(uri, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
  return response.json();
}

/** One fetch, with or without a key. */
export function trackWithFetch({ uri, input, hasKey }: { uri: string; input: object; hasKey: boolean }) {
  return post(uri, TRACK, { input, key: hasKey ? createIdempotencyKey() : null });
}

/** Clicks twice for one input, and once for another before the first is sent: what was sent, and what each click led to. */
export async function writeTogether({ uri, inputs }: { uri: string; inputs: [object, object] }) {
  const sent: unknown[] = [];
  const query = `mutation ($input: TrackShipmentInput!, $idempotencyKey: ID) { trackShipment(input: $input, idempotencyKey: $idempotencyKey) { outcome errors { code retryable } driverPhoneNumber } }`;
  const write = await new Promise<(variables: { input: object }) => Promise<{ source: unknown }>>(
    (resolve) => {
      const Button = () => {
        const hook = useWrite(
          'trackShipment',
          (variables: { input: object; idempotencyKey: string }): Promise<unknown> => {
            sent.push(variables.input);
            return post(uri, query, variables);
          },
        );
        useEffect(() => resolve(hook.write), []);
        return null;
      };
      const main = document.querySelector('main');
      if (main) createRoot(main).render(createElement(Button));
    },
  );
  const [one, other] = inputs;
  const clicks = [write({ input: one }), write({ input: one }), write({ input: other })];
  const results = await Promise.all(clicks);
  return { sent, sources: results.map(({ source }) => source), isSame: clicks[0] === clicks[1] };
}

/** Of a button whose intent is kept in the session storage: what each click led to, what was known before, and how often it was sent. */
export async function writeAgain({
  uri,
  input,
  isLost,
}: {
  uri: string;
  input: object;
  /** The page is left before the response of the first click. */
  isLost: boolean;
}) {
  let sent = 0;
  const useButton = () =>
    useWrite(
      'trackShipment',
      async (variables: { input: object; idempotencyKey: string }): Promise<unknown> => {
        sent += 1;
        const response = await post(uri, TRACK.replaceAll('$key', '$idempotencyKey'), variables);
        return isLost ? new Promise(() => undefined) : response;
      },
      { name: 'tracking', storage: sessionStorage },
    );
  const hook = await new Promise<ReturnType<typeof useButton>>((resolve) => {
    const Button = () => {
      const button = useButton();
      useEffect(() => resolve(button), []);
      return null;
    };
    const main = document.querySelector('main');
    if (main) createRoot(main).render(createElement(Button));
  });
  const before = hook.resultFor({ input })?.nextStep;
  const first = hook.write({ input });
  if (isLost) return { before, sent, evidence: [] };
  const results = [await first];
  await new Promise((resolve) => setTimeout(resolve, 250));
  results.push(await hook.write({ input }));
  hook.startOver();
  results.push(await hook.write({ input }));
  return { before, sent, evidence: results.map(({ evidence }) => evidence) };
}
