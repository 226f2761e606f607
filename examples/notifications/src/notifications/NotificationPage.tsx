/** The pages to create and to edit a notification. */
import { useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import type { NotificationDetailsFragment as Notification } from '../generated/graphql';
import { ReadFailure } from '../Notice';
import { useShell } from '../shell';
import { useWrite, type Written } from '../useWrite';
import { ConflictDialog } from './ConflictDialog';
import { NotificationForm } from './NotificationForm';
import { CreateNotification, ReadNotification, UpdateNotification } from './operations';
import { changesSince, toInput, toValues, type Values } from './values';

export function NewNotification() {
  const { go } = useShell();
  const form = useForm<Values>({ defaultValues: toValues(undefined) });
  const { write, mayDouble, startOver } = useWrite(CreateNotification, 'createNotification');
  const [failure, setFailure] = useState<Written>();

  async function save(values: Values) {
    const variables = { input: toInput(values) };
    const question =
      'Your last attempt may have created a notification. Create one with the new values, too?';
    if (mayDouble(variables) && !confirm(question)) return;
    const written = await write(variables);
    if (written.nextStep === 'NONE') go('/', `Created “${values.notificationName}”.`);
    else setFailure(written);
  }
  const candidates = failure?.errors.flatMap((error) => error.candidates ?? []) ?? [];

  return (
    <>
      <h1 tabIndex={-1}>New notification</h1>
      <NotificationForm form={form} onSave={save} failure={failure}>
        {candidates.map((guid) => (
          <p key={guid}>
            <a href={`#/edit/${guid}`}>Look at the one that it may have created</a>
          </p>
        ))}
        {failure?.nextStep === 'DECIDE' && (
          <button type="submit" onClick={startOver}>
            Create it again
          </button>
        )}
      </NotificationForm>
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
  const { go } = useShell();
  /** The version that is being edited: the cache may get newer ones meanwhile. */
  const [edited, setEdited] = useState(read);
  const form = useForm<Values>({ defaultValues: toValues(edited) });
  const { write } = useWrite(UpdateNotification, 'updateNotification');
  const [failure, setFailure] = useState<Written>();
  const [theirs, setTheirs] = useState<Notification>();

  /** Sends what the user has changed, if the notification still is the version that the user has seen. */
  async function save(values: Values, seen: Notification) {
    const input = changesSince(edited, values);
    if (Object.keys(input).length === 0) {
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
      go('/', `Saved “${values.notificationName}”.`);
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
        failure={failure}
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
