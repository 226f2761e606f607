/** Schemas for the variables of logs and traces. Names and formats of those that begin with OTEL_ are OpenTelemetry's. */
import { z } from 'zod';
import { expected } from './variableSchemas.js';

/** A share such as 0.25. */
export const Share = z
  .string()
  .regex(/^(?:0(?:\.\d{1,15})?|1(?:\.0{1,15})?)$/, { error: expected('a number from 0 to 1') })
  .transform(Number);
