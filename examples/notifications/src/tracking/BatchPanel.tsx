/** A list of shipments, with what became of each, and what to do next. */
import { memo, useEffect, useState } from 'react';
import { inputErrorsOf, otherErrorsOf, type NextStep } from 'shipment-graphql-client';
import { useBatch } from 'shipment-graphql-client/react';
import { inputTextOf } from 'shipment-graphql-client/texts';
import { Dialog } from '../Dialog';
import { messagesOf } from '../Notice';
import { useNow } from '../Sending';
import { useShell, type Tone } from '../shell';
import {
  batch,
  goOn,
  isSentBefore,
  replace,
  send,
  sendThoughSent,
  sentCellsOf,
  type TrackingItem,
} from './batch';
import { CorrectDialog } from './CorrectDialog';
import { factsOf } from './facts';
import { downloadItems, keepList } from './lists';
import { UnknownRows } from './UnknownRows';
import { nameOf, showUnseen, toRow, type Row as Cells } from './rows';

type Step = NextStep | 'PENDING' | 'SENT_BEFORE';

const STEPS: Record<Step, string> = {
  PENDING: 'Being sent',
  NONE: 'Tracked',
  SEND: 'Ready to send',
  SENT_BEFORE: 'Sent before',
  REPEAT: 'To repeat',
  SIGN_IN: 'To repeat after signing in',
  REQUEST_ACCESS: 'To repeat with access',
  CORRECT: 'To correct',
  RELOAD: 'Changed meanwhile',
  DECIDE: 'Unknown: decide',
  REPORT: 'Failed',
};

function stepOf(item: TrackingItem): Step {
  if (item.isPending) return 'PENDING';
  return isSentBefore(item) ? 'SENT_BEFORE' : item.nextStep;
}

/** How the summary looks: something is unknown, something has to be done, or all is well. */
function toneOf(items: readonly TrackingItem[]): Tone {
  const steps = new Set(items.map(stepOf));
  if (items.some(({ outcome }) => outcome === 'UNKNOWN')) return 'unsure';
  if ([...steps].some((step) => !['NONE', 'SEND', 'SENT_BEFORE'].includes(step))) return 'bad';
  return steps.has('SENT_BEFORE') ? 'unsure' : 'good';
}

export function BatchPanel() {
  const { say } = useShell();
  const { items, isRunning, retryAt } = useBatch(batch);
  const [isFiltered, setFiltered] = useState(false);
  const [opened, open] = useState<number>();
  const [isEnding, setEnding] = useState(false);
  const count = (...steps: Step[]) => items.filter((item) => steps.includes(stepOf(item))).length;
  const ready = count('SEND');
  const interrupted = count('REPEAT', 'SIGN_IN', 'REQUEST_ACCESS');
  const all = items.map((item, index) => ({ item, index }));
  const needed = all.filter(({ item }) => !['NONE', 'SEND', 'PENDING'].includes(stepOf(item)));
  const sentBefore = items.filter(isSentBefore);
  const unknown = items.filter(({ outcome, isPending }) => outcome === 'UNKNOWN' && !isPending);
  const summary = (Object.keys(STEPS) as Step[])
    .filter((step) => count(step) > 0)
    .map((step) => `${count(step)} ${STEPS[step].toLowerCase()}`)
    .join(', ');
  const rows = (number: number) => `${number} ${number === 1 ? 'row' : 'rows'}`;

  // The status line says what a run has led to; while it goes on, the panel does.
  const message = isRunning ? '' : `${rows(items.length)}: ${summary}.`;
  const tone = toneOf(items);
  useEffect(() => say(message, tone), [say, message, tone]);

  // The page that it takes the place of had the focus.
  useEffect(() => document.querySelector<HTMLElement>('[role=status]')?.focus(), []);

  const end = () => {
    if (items.some(({ outcome }) => outcome !== 'NOT_APPLIED')) keepList(items);
    batch.clear();
    say('');
    document.querySelector('h1')?.focus();
  };
  const item = opened === undefined ? undefined : items[opened];
  const interruption = interrupted > 0 && !isRunning && (
    <p>
      {count('SIGN_IN') > 0
        ? 'The session has expired: sign in again (top right), then go on.'
        : count('REQUEST_ACCESS') > 0
          ? 'Your account may not do this: ask for access, then go on.'
          : 'The list was interrupted.'}{' '}
      To go on is safe: every row keeps its key, and no driver gets a second message.
    </p>
  );
  return (
    <section className="panel" aria-label="List">
      <div>
        {isRunning && (
          <p>
            <strong>{rows(items.length)}</strong>: {summary}
          </p>
        )}
        <progress aria-label="Tracked" value={count('NONE')} max={items.length} />
      </div>
      {retryAt !== undefined && <Wait until={retryAt} />}
      {interruption && unknown.length === 0 && <div className="notice unknown">{interruption}</div>}
      {sentBefore.length > 0 && !isRunning && <SentBefore items={sentBefore} count={items.length} />}
      <div className="actions">
        {isRunning ? (
          <button onClick={batch.cancel}>Stop</button>
        ) : interrupted > 0 ? (
          <button className="primary" onClick={() => void goOn()}>
            Go on
          </button>
        ) : (
          <button
            className="primary"
            aria-disabled={ready === 0} // it keeps the focus, and a second click changes nothing
            onClick={() => void send()}
          >
            Send {rows(ready)}
          </button>
        )}
        <button disabled={isRunning} onClick={() => (unknown.length > 0 ? setEnding(true) : end())}>
          New list
        </button>
        <label className="choice">
          <input type="checkbox" checked={isFiltered} onChange={() => setFiltered(!isFiltered)} />
          Only the {needed.length} that need attention
        </label>
      </div>
      {unknown.length > 0 && !isRunning && (
        <UnknownRows items={unknown} isInterrupted={interrupted > 0}>
          {interruption}
        </UnknownRows>
      )}
      <ol className="cards rows">
        {(isFiltered ? needed : all).map(({ item, index }) => (
          <Row key={item.key} item={item} index={index} onOpen={open} />
        ))}
      </ol>
      {opened !== undefined && item?.nextStep === 'CORRECT' && (
        <CorrectDialog
          input={item.item.input}
          result={item}
          onCorrect={(input) => {
            open(undefined);
            replace(opened, input);
          }}
          onClose={() => open(undefined)}
        />
      )}
      {isEnding && (
        <Dialog title="Start a new list?" onClose={() => setEnding(false)}>
          <p>
            {rows(unknown.length)} of this one may have gone through, or not. Without it, nobody can find out
            any more.
          </p>
          <div className="actions">
            <button onClick={() => downloadItems('unknown-rows', unknown)}>
              Download {unknown.length === 1 ? 'it' : 'them'}
            </button>
            <button
              className="danger"
              onClick={() => {
                setEnding(false);
                end();
              }}
            >
              New list
            </button>
            <button onClick={() => setEnding(false)}>Cancel</button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

/** Rows that were sent from this device before. They are left out, unless a person wants them. */
function SentBefore({ items, count }: { items: readonly TrackingItem[]; count: number }) {
  const [isAsking, ask] = useState(false);
  const times = items.map(({ key }) => factsOf(key).sentBefore ?? 0);
  const [first, last] = [Math.min(...times), Math.max(...times)].map(toTime);
  const number = items.length;
  return (
    <section className="notice unknown" aria-label="Sent before">
      <p>
        <strong>
          {number} of these {number === 1 ? 'was' : 'were'} sent{' '}
          {first === last ? `at ${first}` : `between ${first} and ${last}`}.
        </strong>{' '}
        {number === count ? 'Nothing is sent' : 'They are left out'}, so that no driver gets a second message.
      </p>
      <div className="actions">
        <button onClick={() => ask(true)}>Send {number === 1 ? 'it' : 'them'} again…</button>
      </div>
      {isAsking && (
        <Dialog title="Send again?" onClose={() => ask(false)}>
          <p>{number === 1 ? 'The driver gets' : `Each of ${number} drivers gets`} a second message.</p>
          <div className="actions">
            <button
              className="danger"
              onClick={() => {
                ask(false);
                sendThoughSent(items);
              }}
            >
              Get {number === 1 ? 'it' : 'them'} ready again
            </button>
            <button onClick={() => ask(false)}>Cancel</button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

/** Within a day, the time alone says when. */
const toTime = (time: number) =>
  new Date(time).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** The time until the list goes on by itself. */
function Wait({ until }: { until: number }) {
  const now = useNow();
  const seconds = Math.max(0, Math.ceil((until - now) / 1000));
  return <p className="notice unknown">It has to wait, and goes on by itself in {seconds} s.</p>;
}

interface RowProps {
  item: TrackingItem;
  index: number;
  onOpen: (index: number) => void;
}

/** Of 300 rows, only those that change are rendered again. */
const Row = memo(({ item, index, onOpen }: RowProps) => {
  const { nextStep, evidence } = item;
  const step = stepOf(item);
  const pasted = toRow(item.item.input);
  const sent = sentCellsOf(item);
  const { number } = factsOf(item.key);
  const errors = inputErrorsOf(item, 'trackShipments', { below: 'input' });
  const others = otherErrorsOf(item, 'trackShipments', { below: 'input' });
  const messages = messagesOf(others.map((error) => ({ ...error, message: inputTextOf(error) })));
  const note = evidence === 'REPLAY' ? ['An earlier attempt had arrived.'] : [];
  const errorsAt = (name: keyof Cells | undefined) =>
    errors.filter((error) => nameOf(error.name) === name).map((error) => inputTextOf(error));
  const cell = (name: keyof Cells) => (
    <Cell pasted={pasted[name]} sent={sent[name]} errors={errorsAt(name)} />
  );
  return (
    <li>
      <span className="muted">{number}</span>
      <strong>{cell('reference')}</strong>
      <div className="cells">
        {cell('vehicle')}
        {cell('carrier')}
      </div>
      {cell('phone')}
      <div>
        <span className={`badge ${step.toLowerCase()}`}>{STEPS[step]}</span>
        {[...messages, ...errorsAt(undefined), ...note].map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
      <div className="actions">
        {nextStep === 'CORRECT' && (
          <button aria-label={`Correct row ${number}`} onClick={() => onOpen(index)}>
            Correct
          </button>
        )}
        {item.outcome === 'NOT_APPLIED' && !item.isPending && (
          <button className="quiet" aria-label={`Remove row ${number}`} onClick={() => batch.remove(index)}>
            Remove
          </button>
        )}
      </div>
    </li>
  );
});

/** A cell as it is sent, with what was pasted if that had something else, and what is wrong with it. */
function Cell({
  pasted,
  sent = showUnseen(pasted),
  errors,
}: {
  pasted: string;
  sent: string | undefined;
  errors: readonly string[];
}) {
  return (
    <div data-cell>
      {sent}
      {!isSame(pasted, sent) && <p className="muted">Pasted: {showUnseen(pasted)}</p>}
      {errors.map((text) => (
        <p key={text} className="field-error">
          {text}
        </p>
      ))}
    </div>
  );
}

/** Whether both have the same letters and digits: a number in another notation needs no note. */
function isSame(pasted: string, sent: string): boolean {
  const [before, after] = [pasted, sent].map((text) => showUnseen(text).replace(/[^\p{L}\p{N}]/gu, ''));
  return after?.endsWith(before ?? '') ?? false;
}
