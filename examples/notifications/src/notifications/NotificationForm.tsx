/** The form of a notification. The gateway checks the values: each violation stands at its field, all at once. */
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useFieldArray, useWatch, type FieldPath, type UseFormReturn } from 'react-hook-form';
import type { GatewayError, WriteResult } from 'shipment-graphql-client';
import type { RetryWait } from 'shipment-graphql-client/apollo';
import { setInputErrors } from 'shipment-graphql-client/react-hook-form';
import type { NotificationDetailsFragment as Notification } from '../generated/graphql';
import { Notice } from '../Notice';
import { Sending } from '../Sending';
import { TextField } from '../TextField';
import { describe, nameOf, STATUSES, type Values } from './values';

type Form = UseFormReturn<Values>;

export function NotificationForm({
  form,
  onSave,
  onCancel,
  failure,
  wait,
  kept,
  children,
}: {
  form: Form;
  onSave: (values: Values) => Promise<void>;
  onCancel: () => void;
  /** What became of the latest attempt, unless it was saved. */
  failure: WriteResult | undefined;
  /** The time until it is sent again. */
  wait: RetryWait | undefined;
  /** The notification whose recipient and trigger stay as they are. */
  kept?: Notification;
  /** Stands in the notice about the failure. */
  children?: ReactNode;
}) {
  const element = useRef<HTMLFormElement>(null);
  const [otherErrors, setOtherErrors] = useState<GatewayError[]>([]);
  const { isSubmitting } = form.formState;
  const [recipientKind, triggerKind] = useWatch({
    control: form.control,
    name: ['recipientKind', 'triggerKind'],
  });
  useEffect(() => {
    if (failure) setOtherErrors(setInputErrors(form, failure, { below: 'input', nameOf }));
  }, [form, failure]);
  // The first one on the page, also if it belongs to a group of fields.
  useEffect(
    () => element.current?.querySelector<HTMLElement>('[aria-invalid=true], .error')?.focus(),
    [otherErrors],
  );

  return (
    <form
      ref={element}
      noValidate
      onSubmit={(event) => {
        form.clearErrors(); // an error of a group would keep the form from being submitted
        void form.handleSubmit(onSave)(event);
      }}
    >
      {failure && !isSubmitting && (
        <Notice result={failure} errors={otherErrors}>
          {children}
        </Notice>
      )}
      <TextField
        label="Name"
        error={errorAt(form, 'notificationName')}
        {...form.register('notificationName')}
      />

      <fieldset>
        <legend>Who is notified</legend>
        <div className="choices">
          <Choice form={form} name="recipientKind" value="shipmentLevel" label="People listed here" />
          <Choice form={form} name="recipientKind" value="stopLevel" label="Contacts of the stops" />
          {kept && form.formState.defaultValues?.recipientKind === 'keep' && (
            <Choice
              form={form}
              name="recipientKind"
              value="keep"
              label={kept.recipient.notificationRecipientType}
            />
          )}
        </div>
        <GroupError form={form} name="recipient.shipmentLevel" />
        {recipientKind === 'shipmentLevel' && (
          <div className="columns">
            <TextList
              form={form}
              name="recipient.shipmentLevel.emailList"
              label="Email address"
              type="email"
            />
            <TextList form={form} name="recipient.shipmentLevel.smsList" label="Phone number" type="tel" />
          </div>
        )}
        {recipientKind === 'stopLevel' && (
          <div className="choices">
            <Check form={form} name="recipient.stopLevel.notifyStopContactsByEmail" label="By email" />
            <Check form={form} name="recipient.stopLevel.notifyStopContactsBySms" label="By text message" />
          </div>
        )}
      </fieldset>

      <fieldset>
        <legend>When</legend>
        {kept && form.formState.defaultValues?.triggerKind === 'keep' && (
          <div className="choices">
            <Choice
              form={form}
              name="triggerKind"
              value="keep"
              label={describe(form.getValues(), kept).When}
            />
            <Choice form={form} name="triggerKind" value="shipmentStatusChange" label="At a status" />
          </div>
        )}
        <GroupError form={form} name="trigger.shipmentStatusChange" />
        {triggerKind === 'shipmentStatusChange' && (
          <div className="choices">
            {Object.entries(STATUSES).map(([status, label]) => (
              <Check
                key={status}
                form={form}
                name="trigger.shipmentStatusChange"
                value={status}
                label={label}
              />
            ))}
          </div>
        )}
      </fieldset>

      {isSubmitting && <Sending wait={wait} />}
      <div className="actions">
        <button className="primary" type="submit" disabled={isSubmitting}>
          {isSubmitting ? 'Saving…' : 'Save'}
        </button>
        <a className="button" href="#/" onClick={onCancel}>
          Cancel
        </a>
      </div>
    </form>
  );
}

interface FieldProps {
  form: Form;
  name: FieldPath<Values>;
  label: string;
}

const errorAt = ({ formState, getFieldState }: Form, name: FieldPath<Values>) =>
  getFieldState(name, formState).error?.message;

type ListName = 'recipient.shipmentLevel.emailList' | 'recipient.shipmentLevel.smsList';

function TextList({ form, name, label, type }: FieldProps & { name: ListName; type: string }) {
  const { fields, append, remove } = useFieldArray({ control: form.control, name });
  return (
    <div>
      {fields.map(({ id }, index) => (
        <TextField
          key={id}
          label={`${label} ${index + 1}`}
          type={type}
          error={errorAt(form, `${name}.${index}.value`)}
          {...form.register(`${name}.${index}.value`)}
        >
          <button
            type="button"
            className="quiet"
            aria-label={`Remove ${label.toLowerCase()} ${index + 1}`}
            onClick={() => remove(index)}
          >
            Remove
          </button>
        </TextField>
      ))}
      <button type="button" onClick={() => append({ value: '' })}>
        Add {label.toLowerCase()}
      </button>
    </div>
  );
}

/** An error of several fields together. */
function GroupError({ form, name }: Omit<FieldProps, 'label'>) {
  const error = errorAt(form, name);
  return (
    error && (
      <p className="error field-error" tabIndex={-1}>
        {error}
      </p>
    )
  );
}

function Choice({ form, name, value, label }: FieldProps & { value: string }) {
  return (
    <label>
      <input type="radio" value={value} {...form.register(name)} />
      {label}
    </label>
  );
}

function Check({ form, name, value, label }: FieldProps & { value?: string }) {
  return (
    <label>
      <input type="checkbox" value={value} {...form.register(name)} />
      {label}
    </label>
  );
}
