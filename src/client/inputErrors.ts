/** The errors of a write for a form: those that stand at a field of it, and the rest. */
import { errorsOf, type GatewayError } from './result.js';
import { objectOf } from './source.js';

export interface InputError {
  /** The `inputPath` in the notation of form libraries, such as `recipient.shipmentLevel.emailList.0`. */
  readonly name: string;
  /**
   * The violated rule, one of `InputRule`, for a text of your own; undefined for an objection of the service, and if the operation does not
   * select it.
   */
  readonly rule: GatewayError['rule'];
  /** The number in the rule, such as the maximum length, if there is one. */
  readonly limit: number | undefined;
  /**
   * For developers: what was expected, and what arrived; or what the service objects to, if the operation selects `serviceMessages`. Show
   * `inputTextOf(error)` of `texts.ts` to users.
   */
  readonly message: string;
}

export interface InputErrorOptions {
  /** Index of an item of a bulk field. */
  index?: number;
  /**
   * The argument that the values of the form are, usually `input`: names leave it out, and errors of other arguments stand at no field.
   * Without it, names start with the argument.
   */
  below?: string;
}

/**
 * The errors of a write that stand at a field of the form, all at once.
 * @param source what {@link errorsOf} takes, or the result of `resultOf`, or an item of a batch
 * @param field response key of the mutation field
 */
export function inputErrorsOf(source: unknown, field: string, options: InputErrorOptions = {}): InputError[] {
  return find(source, field, options).flatMap((error) => {
    const name = nameOf(error, options);
    const { rule, limit } = error;
    return name === undefined ? [] : { name, rule, limit, message: messageOf(error) };
  });
}

/** The errors that {@link inputErrorsOf} leaves out for the same options: show them above the form. */
export function otherErrorsOf(
  source: unknown,
  field: string,
  options: InputErrorOptions = {},
): GatewayError[] {
  return find(source, field, options).filter((error) => nameOf(error, options) === undefined);
}

function find(source: unknown, field: string, { index }: InputErrorOptions): readonly GatewayError[] {
  const { nextStep, errors } = objectOf(source);
  return nextStep === undefined ? errorsOf(source, field, index) : (errors as readonly GatewayError[]);
}

/** The service's messages about a value, one a line; the message of the gateway if it says nothing in words. */
export function messageOf({ message, serviceMessages = [] }: GatewayError): string {
  const reasons = serviceMessages.flatMap((said) => {
    const text = typeof said === 'string' ? said : objectOf(said)['message'];
    return typeof text === 'string' ? text : [];
  });
  return reasons.join('\n') || message;
}

function nameOf({ inputPath = [] }: GatewayError, { below }: InputErrorOptions): string | undefined {
  const [argument, ...rest] = inputPath;
  const path = below === undefined ? inputPath : argument === below ? rest : [];
  return path.join('.') || undefined;
}
