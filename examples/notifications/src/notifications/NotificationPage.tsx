/** The pages to create and to edit a notification. */
import { skipToken, useQuery } from '@apollo/client/react';
import { useEffect, useRef, useState } from 'react';
import { useForm } from 'react-hook-form';
import type { WriteResult } from 'shipment-graphql-client';
import type { NotificationDetailsFragment as Notification } from '../generated/graphql';
import { explain, ReadFailure } from '../Notice';
import { useShell, type Shell } from '../shell';
import { useDraft } from '../useDraft';
import { useWrite } from '../useWrite';
import { ConflictDialog } from './ConflictDialog';
import { NotificationForm } from './NotificationForm';
import { CreateNotification, ReadCandidates, ReadNotification, UpdateNotification } from './operations';
import { changesSince, toInput, toValues, type Values } from './values';

/** Nobody who has opened another page meanwhile is taken away from it. */
function sayDone(message: string, { go, say, isHere }: Shell & { isHere: boolean }): void {
  if (isHere) go('/', message);
  else say(message);
}

/** What is said to somebody who leaves while a form is being saved. */
function sayLeft(say: Shell['say'], nameOf: () => string) {
  return (isCancelled: boolean) =>
    isCancelled
      ? say(`Cancelled: nothing of “${nameOf()}” was saved.`)
      : say(`“${nameOf()}” is still being saved: it can no longer be cancelled.`, 'unsure');
}

export function NewNotification() {
  const { go, say } = useShell();
  const form = useForm<Values>({ defaultValues: toValues(undefined) });
  const { discard, isRestored } = useDraft(form, 'new');
  const { write, wait, isHere, mayDouble, resultFor, startOver } = useWrite(
    CreateNotification,
    'createNotification',
    {
      onLeave: sayLeft(say, () => form.getValues('notificationName')),
      intent: { name: 'new notification', storage: sessionStorage },
    },
  );
  const [failure, setFailure] = useState<WriteResult>();
  const toVariables = (values: Values) => ({ input: toInput(values) });
  const begin = useRef(() => {});
  begin.current = () => {
    const variables = toVariables(form.getValues());
    if (isRestored) setFailure(resultFor(variables));
    else if (!mayDouble(variables)) startOver(); // what was created before may be created once more
  };
  useEffect(() => begin.current(), []);

  async function save(values: Values) {
    const variables = toVariables(values);
    const question =
      'Your last attempt may have created a notification. Create one with the new values, too?';
    if (mayDouble(variables) && !confirm(question)) return;
    const written = await write(variables);
    if (written.nextStep === 'NONE') {
      discard();
      sayDone(`Created “${values.notificationName}”.`, { go, say, isHere: isHere.current });
    } else if (isHere.current) setFailure(written);
    else say(`“${values.notificationName}”: ${explain(written)}`, 'bad');
  }

  return (
    <>
      <h1 tabIndex={-1}>New notification</h1>
      <NotificationForm form={form} onSave={save} onCancel={discard} failure={failure} wait={wait}>
        {failure?.nextStep === 'DECIDE' && <Candidates failure={failure} onCreateAgain={startOver} />}
      </NotificationForm>
    </>
  );
}

/** What the app finds of a creation of unknown outcome, so that the user decides once, and knowingly. */
function Candidates({ failure, onCreateAgain }: { failure: WriteResult; onCreateAgain: () => void }) {
  const { candidates } = failure.errors.find((error) => error.candidates) ?? {};
  const { data } = useQuery(
    ReadCandidates,
    candidates?.length
      ? { variables: { notificationGuids: [...candidates] }, fetchPolicy: 'network-only' }
      : skipToken,
  );
  const found = data?.notificationsByGuid?.flatMap((notification) => notification ?? []) ?? [];
  if (candidates?.length && !data) return <p>Looking for it…</p>;
  return (
    <>
      <p>
        {found.length > 0
          ? 'The service has this one, which may be it:'
          : candidates
            ? 'The service has no such notification at the moment.'
            : 'The service could not be asked whether it exists.'}
      </p>
      {found.map(({ id, notificationName, lastUpdateDate }) => (
        <p key={id}>
          <a href={`#/edit/${id}`}>
            {notificationName}
            {lastUpdateDate && `, of ${new Date(lastUpdateDate).toLocaleString()}`}
          </a>
        </p>
      ))}
      <button type="submit" onClick={onCreateAgain}>
        Create it again
      </button>
    </>
  );
}

export function EditNotification({ notificationGuid }: { notificationGuid: string }) {
  const { data, error, loading, refetch } = useQuery(ReadNotification, {
    variables: { notificationGuid },
    fetchPolicy: 'network-only',
    errorPolicy: 'all', // a date that cannot be read does not cost the notification
  });
  return (
    <>
      <h1 tabIndex={-1}>Edit notification</h1>
      {loading && !data && <p className="muted">Loading…</p>}
      {error && !loading && !data?.notification && (
        <ReadFailure error={error} field="notification" onRetry={() => void refetch()} />
      )}
      {!error && data?.notification === null && <p className="notice">It has been deleted.</p>}
      {data?.notification && <Editor read={data.notification} />}
    </>
  );
}

function Editor({ read }: { read: Notification }) {
  const { go, say } = useShell();
  /** The version that is being edited: the cache may get newer ones meanwhile. */
  const [edited, setEdited] = useState(read);
  const form = useForm<Values>({ defaultValues: toValues(edited) });
  const { discard } = useDraft(form, edited.id);
  const { write, wait, isHere } = useWrite(UpdateNotification, 'updateNotification', {
    onLeave: sayLeft(say, () => form.getValues('notificationName')),
  });
  const [failure, setFailure] = useState<WriteResult>();
  const [theirs, setTheirs] = useState<Notification>();

  /** Sends what the user has changed, if the notification still is the version that the user has seen. */
  async function save(values: Values, seen: Notification) {
    const input = changesSince(edited, values);
    if (Object.keys(input).length === 0) {
      discard();
      go('/', 'Nothing was changed.');
      return;
    }
    const ifLastUpdateDate = seen.lastUpdateDate ?? null;
    const written = await write({ notificationGuid: edited.id, input, ifLastUpdateDate });
    const current =
      written.nextStep === 'RELOAD' ? written.source?.data?.updateNotification?.current : undefined;
    // After a lost response, the other version may be one's own.
    const isSaved = current && Object.keys(changesSince(current, values)).length === 0;
    if (written.nextStep === 'NONE' || isSaved) {
      discard();
      sayDone(`Saved “${values.notificationName}”.`, { go, say, isHere: isHere.current });
      return;
    }
    if (!isHere.current) {
      say(`“${values.notificationName}”: ${explain(written)}`, 'bad');
      return;
    }
    setTheirs(current ?? undefined);
    setFailure(current ? undefined : written);
  }

  return (
    <>
      <NotificationForm
        form={form}
        onSave={(values) => save(values, edited)}
        onCancel={discard}
        failure={failure}
        wait={wait}
        kept={edited}
      />
      {theirs && (
        <ConflictDialog
          edited={edited}
          mine={form.getValues()}
          theirs={theirs}
          onKeepMine={() => {
            setTheirs(undefined);
            void form.handleSubmit((values) => save(values, theirs))();
          }}
          onTakeTheirs={() => {
            setTheirs(undefined);
            setEdited(theirs);
            form.reset(toValues(theirs));
          }}
          onClose={() => setTheirs(undefined)}
        />
      )}
    </>
  );
}
