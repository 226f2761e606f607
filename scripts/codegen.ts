/**
 * GraphQL Code Generator: `npm run codegen` writes the types of resolvers, the values of enums, what the package for front ends knows of the schema, and the
 * example of an environment.
 */
import type { CodegenConfig } from '@graphql-codegen/cli';
import { buildASTSchema, getNamedType } from 'graphql';
import { readTypeDefs } from '../src/graphql/schema.js';

const mutations = Object.values(buildASTSchema(readTypeDefs()).getMutationType()?.getFields() ?? {});
const payloads = mutations.map(
  ({ name, type }) => [getNamedType(type).name, `../fields/writes.js#Payload<'${name}'>`] as const,
);

export default {
  schema: 'schema/*.graphql',
  importExtension: '.js',
  generates: {
    'src/generated/resolvers.ts': {
      plugins: ['typescript', 'typescript-resolvers'],
      config: {
        contextType: '../fields/context.js#GatewayContext',
        useTypeImports: true,
        enumsAsTypes: true,
        strictScalars: true,
        defaultScalarType: 'unknown',
        scalars: {
          DateTime: 'string',
          EmailAddress: 'string',
          ID: 'string',
          JSON: 'unknown',
          JSONObject: 'Record<string, unknown>',
          PhoneNumber: 'string',
        },
        // Resolvers may return promises; arguments never are.
        maybeValue: 'T | null | Promise<T | null>',
        inputMaybeValue: 'T | null',
        // What resolvers of a type receive: payloads of mutations, and shapes of the REST side. A type without one is as in the schema.
        mappers: {
          ...Object.fromEntries(payloads),
          Notification: '../freight/contract.js#NotificationRecord',
          NotificationList: '../freight/notificationBodies.js#NotificationList as ReceivedNotificationList',
          OtherRecipient: '../freight/contract.js#NotificationRecord',
          ShipmentLevelRecipient: '../freight/contract.js#NotificationRecord',
          StopLevelRecipient: '../freight/contract.js#StopLevelNotification',
          UnreadableNotification:
            '../freight/notificationBodies.js#UnreadableNotification as ReceivedUnreadableNotification',
          WriteError: '../freight/write.js#WriteError as ReceivedWriteError',
        },
      },
    },
    'src/generated/enums.ts': {
      plugins: ['typescript'],
      config: { onlyEnums: true, enumsAsConst: true },
    },
    'src/client/possibleTypes.ts': { plugins: ['./scripts/codegenPossibleTypes.ts'] },
    '.env.example': { plugins: ['./scripts/codegenEnvExample.ts'] },
  },
} satisfies CodegenConfig;
