/** React Hook Form: the errors of a write at the fields of its form. */
import type { FieldPath, FieldValues, UseFormSetError } from 'react-hook-form';
import { inputErrorsOf, otherErrorsOf, type InputError, type InputErrorOptions } from './inputErrors.js';
import type { GatewayError, WriteResult } from './result.js';
import { inputTextOf } from './texts.js';

export interface InputErrorTexts extends Pick<InputErrorOptions, 'below'> {
  /**
   * The name of the field in the form, where it is another one, or undefined. Lists of texts are objects in `useFieldArray`
   * (`emailList.0` is `emailList.0.value`), and a whole list has its error at `.root`.
   */
  nameOf?: (name: string) => string | undefined;
  /** The text for the user. @default `inputTextOf`, which takes texts of your own, too */
  textOf?: (error: InputError) => string;
}

/**
 * Sets each error of a write at its field, and focuses the first one.
 *
 * Call `form.clearErrors()` before each `handleSubmit`: while an error stands at a name without an input, such as a whole object,
 * React Hook Form submits nothing and says nothing, so that a second "Save" does nothing.
 *
 * @param form what `useForm` returns
 * @param result what `resultOf` returns
 * @returns the errors that stand at no field: show them above the form
 */
export function setInputErrors<Values extends FieldValues>(
  form: { setError: UseFormSetError<Values> },
  result: WriteResult,
  { nameOf = () => undefined, textOf = (error) => inputTextOf(error), ...options }: InputErrorTexts = {},
): GatewayError[] {
  for (const [position, error] of inputErrorsOf(result, '', options).entries()) {
    const name = (nameOf(error.name) ?? error.name) as FieldPath<Values>;
    const type = error.rule ?? 'server';
    form.setError(name, { type, message: textOf(error) }, { shouldFocus: position === 0 });
  }
  return otherErrorsOf(result, '', options);
}
