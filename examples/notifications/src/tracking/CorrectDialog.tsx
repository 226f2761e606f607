/** A row that was rejected, in a form: each violation stands at its cell. */
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import type { GatewayError, WriteResult } from 'shipment-graphql-client';
import { setInputErrors } from 'shipment-graphql-client/react-hook-form';
import { Dialog } from '../Dialog';
import type { TrackShipmentInput } from '../generated/graphql';
import { messagesOf } from '../Notice';
import { TextField } from '../TextField';
import { kindOf, nameOf, problemsOf, toInput, toRow, type Row } from './rows';

const LABELS: Record<keyof Row, string> = {
  reference: 'Reference',
  vehicle: 'License plate or hauler',
  carrier: 'Carrier',
  phone: "Driver's phone",
};

export function CorrectDialog({
  input,
  result,
  onCorrect,
  onClose,
}: {
  input: TrackShipmentInput;
  result: WriteResult;
  onCorrect: (input: TrackShipmentInput) => void;
  onClose: () => void;
}) {
  const form = useForm<Row>({ defaultValues: toRow(input) });
  const { errors } = form.formState;
  const [otherErrors, setOtherErrors] = useState<GatewayError[]>([]);
  useEffect(() => setOtherErrors(setInputErrors(form, result, { below: 'input', nameOf })), [form, result]);
  return (
    <Dialog title="Correct the row" onClose={onClose}>
      {messagesOf(otherErrors).map((text) => (
        <p key={text} className="field-error">
          {text}
        </p>
      ))}
      <form
        noValidate
        onSubmit={(event) => {
          form.clearErrors();
          void form.handleSubmit((row) => {
            const errors = problemsOf(row);
            setInputErrors(form, { ...result, errors }, { below: 'input', nameOf });
            if (errors.length === 0) onCorrect(toInput(row, kindOf(input)));
          })(event);
        }}
      >
        {Object.entries(LABELS).map(([key, label]) => {
          const name = key as keyof Row;
          return (
            <TextField key={name} label={label} error={errors[name]?.message} {...form.register(name)} />
          );
        })}
        <div className="actions">
          <button className="primary" type="submit">
            Use this
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
