/** What the body of a 2xx to a write proves. */
// cspell:ignore erfolg fehler SUBRC
import { describe, expect, test } from 'vitest';
import { verdictOf, type CallKind, type Verdict } from '../../src/freight/proof.js';

/** The bodies with another verdict. */
const others = (bodies: string, expected: readonly Verdict[], of?: CallKind) =>
  (JSON.parse(bodies) as unknown[])
    .map((body) => [body, verdictOf(body, of)] as const)
    .filter(([, verdict]) => !expected.includes(verdict));

const DEEP = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown;

describe('a deletion is proven by', () => {
  test.each(
    Object.entries<string>({
      'a body that says nothing': `[
      null, "", true, {}, [], {"data": null}, {"messages": []}
    ]`,
      'the documented envelope': `[
      {"data": [], "messages": [], "totalPossibleCount": 0}, {"data": [], "messages": ["Deleted"]},
      {"data": [], "messages": [{"severity": "info", "text": "Exception deleted"}]}
    ]`,
      true: `[
      "true", "True", " TRUE ", {"result": true}, {"data": true}, {"d": true}, {"value": true}, {"status": true}, [true]
    ]`,
      'a flag, in any spelling': `[
      {"success": true}, {"success": "true"}, {"Success": 1}, {"SUCCESS": "Y"}, {"isSuccessful": true}, {"ok": true, "error": null},
      {"confirmed": true}, {"applied": true}, {"tracked": true}, {"hasErrors": false, "success": true},
      {"success": true, "timestamp": "2024", "path": "/x"}, {"erfolg": true, "fehler": null}
    ]`,
      'a flag for the deletion': `[
      {"deleted": true}, {"deleted": 1}, {"Deleted": "true"}, {"isDeleted": true}, {"exceptionDeleted": true},
      {"deleted": true, "type": "exception"}, {"success": true, "data": {"id": "x", "type": "exception", "exceptionType": "LATE"}},
      {"created": false, "updated": true}, {"notificationGuid": "x", "deleted": true}
    ]`,
      'a word': `[
      "OK", "Deleted.", "Exception deleted", {"status": "success"}, {"status": "OK"}, {"Status": "DELETED"}, {"result": "success"},
      {"Ack": "Success"}, {"outcome": "APPLIED"}, {"state": "DONE"}, {"status": "TRACKING_STARTED"}, {"code": "SUCCESS"},
      {"Result": "Completed"}, {"text": "done"}
    ]`,
      'a code': `[
      {"status": 200}, {"statusCode": 204}, {"status": "200 OK"}, {"resultCode": 0}, {"resultCode": "0000"}, {"returnCode": "00"},
      {"rc": 0}, {"code": 200, "message": "OK"}, {"code": 0, "msg": "success"}, {"errcode": 0, "errmsg": "ok"},
      {"ErrorCode": "000", "ErrorMessage": "Operation completed successfully"},
      {"responseCode": "00", "responseMessage": "Approved"}, {"TYPE": "S", "MESSAGE": "Exception deleted"},
      {"respCode": "000", "respDesc": "Approved"}, {"EV_RC": 0, "EV_MESSAGE": ""}, {"SUBRC": "0000"},
      {"status": 1, "msg": "Deleted successfully"}, {"status": 0, "message": "ok"}, {"status": 0, "isSuccess": true}
    ]`,
      'a count or a list of what was deleted': `[
      {"deleted": 3}, {"affectedRows": 1}, {"deletedCount": 1, "acknowledged": true}, {"rowsAffected": "1"}, {"n": 1, "ok": 1},
      {"acknowledged": true, "matchedCount": 1, "modifiedCount": 1, "upsertedCount": 0, "upsertedId": null},
      {"deleted": ["x"]}, {"successCount": 1, "errorCount": 0}, {"exceptionGuid": "x", "deletedAt": "2026-11-29T10:00:00Z"}
    ]`,
      'a message that says nothing else': `[
      {"message": "Deleted"}, {"message": "Exception deleted successfully."}, {"message": "The exception has been deleted"},
      {"message": "Successfully deleted exception"}, {"message": "Tracking started"}
    ]`,
      'what stands in an envelope': `[
      {"data": {"deleted": true}}, {"result": {"success": true}}, {"data": {"status": "OK"}}, [{"success": true}],
      [{"id": "x", "status": "DELETED"}], {"results": [{"exceptionGuid": "x", "status": "deleted"}]}
    ]`,
      'a flag next to what a record has, or next to an error': `[
      {"status": "success", "data": {"exceptionGuid": "x", "status": "OPEN"}},
      {"success": true, "data": {"shipment": {"status": "IN_TRANSIT"}}}, {"deleted": true, "errors": ["The email was not sent"]},
      {"success": true, "code": 1001}, {"success": true, "message": "Exception deleted"},
      {"success": true, "data": {"id": 1, "status": "pending", "active": false, "orderStatus": "REJECTED", "eligible": false}},
      {"status": "OK", "shipmentStatus": "NOT_DELIVERED"}, {"status": "DELETED", "exceptionGuid": "x", "exceptionCode": "A3"},
      {"success": true, "sandbox": true, "ignoredFields": ["x"], "unknownFields": ["x"]},
      {"status": "OK", "notified": true, "notBefore": "2026-01-01", "noted": true, "invalidated": true}
    ]`,
      'a code next to a text that is not understood': `[
      {"code": 200, "msg": "操作成功"}, {"code": 0, "message": "成功"}, {"status": "OK", "message": "Ready"}
     ]`,
      'what frameworks say': `[
      {"notice": "Exception was successfully destroyed."}, {"deletedId": "gid://shop/1"}, {"trackingStarted": true},
      {"exceptionDelete": {"deletedId": "gid://shop/1", "userErrors": []}}, {"d": {"DeleteException": true}},
      {"data": null, "error": null, "status": 204, "statusText": "No Content", "count": null}, {"status": "TRACKING_ACTIVE"},
      {"message": "Shipment tracking has been set up"}, {"message": "Tracking assigned to shipment"},
      {"message": "Deleted exception 7d3a"}, {"message": "Exception with ID 12 deleted successfully"},
      {"message": "1 exception deleted"}, {"message": "1 row(s) affected"},
      {"_id": "1", "result": "deleted", "_shards": {"total": 2, "successful": 1, "failed": 0}},
      {"kind": "Status", "status": "Success", "details": {"uid": "1"}}, {"ResponseMetadata": {"HTTPStatusCode": 200}},
      {"result": null, "success": true, "error": null, "unAuthorizedRequest": false, "__abp": true}
    ]`,
      'success next to empty signs of failure': `[
      {"status": "OK", "missing": [], "invalid": [], "notFound": [], "invalidCount": 0, "alreadyTracked": false, "partial": false},
      {"code": 0, "subCode": "0", "msg": "Success"}, {"status": "OK", "problems": [], "warnings": [], "rejectReason": null},
      {"status": "OK", "hasMore": false, "cached": false, "retryable": false}, {"success": true, "notes": [], "notice": "x"}
    ]`,
      'an error that is none': `[
      {"error": null, "errors": []}, {"error": "", "errors": {}}, {"errors": 0, "failed": 0},
      {"errorCode": "200", "errorMessage": "No errors occurred"}, {"success": true, "error": "none"}
    ]`,
    }),
  )('%s', (_what, bodies) => {
    expect(others(bodies, ['success'], 'deletion')).toEqual([]);
  });
});

describe('a failure is reported by', () => {
  test.each(
    Object.entries<string>({
      false: `[
      false, "false", {"data": false}, {"result": "false"}, {"value": false}
    ]`,
      'a flag for success, in any spelling': `[
      {"success": false}, {"isSuccess": false, "message": "x"}, {"IsSuccessful": "False"}, {"SUCCESS": 0}, {"ok": false}, {"ok": 0},
      {"succeeded": false, "errors": []}, {"request_successful": "no"}, {"confirmed": "no"}, {"applied": false},
      {"success": "false"}
    ]`,
      'a flag for the deletion': `[
      {"deleted": false}, {"deleted": "no"}, {"notificationGuid": "x", "success": false}, {"found": false},
      {"valid": false, "message": "OK"}, {"missingResult": false}
    ]`,
      'a flag for failure': `[
      {"error": true}, {"isError": "true"}, {"has-errors": true}, {"failed": true}, {"unsuccessful": true}
    ]`,
      'an error that is not empty': `[
      {"error": "not found"}, {"errors": ["x"]}, {"errors": [{"message": "x"}]}, {"errors": {"name": ["x"]}}, {"errors": 2},
      {"validationErrors": [{"field": "x"}]}, {"error": {"code": 5}}, {"error": "not successful"}, {"fault": {"faultstring": "x"}},
      {"errcode": 40013, "errmsg": "invalid"}, {"ErrorCode": "E102"}, {"errorCode": "EX-404"},
      {"errorMessage": "Exception not found"}, {"status": "success", "error": "locked"}
    ]`,
      'a word': `[
      {"status": "KO"}, {"status": "FAILED"}, {"Status": "error"}, {"status": "Not Found"}, {"status": "NOT_FOUND"},
      {"status": "not deleted"}, {"status": "unsuccessful"}, {"state": "ERROR"}, {"outcome": "NOT_APPLIED"}, {"result": "failure"},
      {"Ack": "Failure"}, {"kind": "Status", "status": "Failure"}, {"success": true, "result": "rejected"}
    ]`,
      'a code': `[
      {"status": 404}, {"status": 404, "title": "x"}, {"statusCode": "404"}, {"status_code": "500"}, {"status": "404 Not Found"},
      {"code": 17}, {"code": 400}, {"code": "E1001"}, {"rc": 8}, {"resultCode": "1001", "resultText": "x"},
      {"SUBRC": 4}, {"EV_SUBRC": "4", "EV_MESSAGE": "x"}
    ]`,
      // cspell:disable
      'a flag or an error with a name in another language': `[
      {"status": "OK", "erfolg": false}, {"code": 0, "exito": false}, {"sucesso": "false"}, {"status": "OK", "fehler": "x"},
      {"code": 0, "errores": ["x"]}, {"code": 0, "erreur": "x"}, {"code": 0, "erro": {"codigo": 5}}, {"fout": "x"}
    ]`,
      // cspell:enable
      'a severity': `[
      {"severity": "ERROR", "message": "x"}, {"type": "E", "message": "Deleted"}, {"MessageType": "F"},
      {"level": "error", "text": "x"}
    ]`,
      'a count of zero, or a list of what was not deleted': `[
      {"deleted": 0}, {"deleted": [], "notFound": ["x"]}, {"deletedCount": 0, "acknowledged": true}, {"affectedRows": 0},
      {"n": 0, "ok": 1}, {"success": true, "deletedCount": 0}, {"success": true, "notFound": 1}, {"count": 0}
    ]`,
      'what stands in an envelope': `[
      {"result": {"success": false}}, {"data": {"success": false}}, {"d": {"Success": false}}, {"status": {"code": 503}},
      {"response": {"header": {"status": "error"}}}, {"status": "OK", "response": {"header": {"status": "error"}}},
      {"Envelope": {"Body": {"Fault": {"faultstring": "x"}}}}, [{"success": false}], [{"id": 1, "status": "KO"}],
      [{"id": 1, "success": false, "errors": [{"message": "x"}]}], {"data": [], "messages": [{"type": "E"}]},
      {"data": [], "messages": [{"code": "E1", "text": "The exception does not exist"}]}
    ]`,
    }),
  )('%s', (_what, bodies) => {
    expect(others(bodies, ['refuted'], 'deletion')).toEqual([]);
  });
});

describe('nothing is proven by', () => {
  test.each(
    Object.entries<string>({
      'a number': `[
      0, 1, 404, [404]
    ]`,
      'a text': `[
      "no", "Not found", "No exception was deleted", "Exception already deleted", ["not found"]
    ]`,
      'a message that says something else': `[
      {"message": "Exception not found"}, {"messages": ["Exception not found"]}, {"message": "0 exceptions deleted"},
      {"message": "Exceptions deleted: 0"}, {"message": "could not be deleted"}, {"message": "Request received"},
      {"warning": "nothing deleted"}, {"reason": "locked"}, {"msg": "ok but not deleted"}, {"title": "Bad", "detail": "x"},
      {"status": "", "message": "x"}, {"result": null, "message": "None"}, {"data": null, "messages": ["Not found"]},
      {"error": false, "message": "Record not found"}
    ]`,
      'the documented envelope with a message that is not understood': `[
      {"data": [], "messages": ["Shipment not found"], "totalPossibleCount": 0}, {"data": [], "messages": ["gone"]},
      {"data": [], "messages": [7]}, {"data": [], "messages": ["Only the carrier can do this"], "totalPossibleCount": 1}
     ]`,
      // cspell:disable
      'success next to a text that denies it in another language': `[
      {"code": 0, "message": "Nicht gefunden"}, {"status": "OK", "message": "Keine Sendung"}, {"code": 0, "message": "Introuvable"},
      {"code": 200, "message": "No se encontró ningún envío"}, {"status": "OK", "message": "Erreur"}, {"code": 0, "msg": "操作失败"},
      {"code": 200, "message": "не найдено"}, {"code": 0, "message": "見つかりません"}, {"code": 0, "message": "bulunamadı"},
      {"code": 0, "message": "Não encontrado"}, {"code": 0, "message": "찾을 수 없습니다"}, {"code": 0, "message": "Неверный номер"},
      {"code": 0, "message": "Föraren hittades inte"}, {"code": 0, "message": "Chaufføren blev ikke fundet"},
      {"code": 0, "message": "Kuljettajaa ei löytynyt"}, {"code": 0, "message": "Řidič nebyl nalezen"},
      {"code": 0, "message": "A sofőr nem található"}, {"code": 0, "message": "Șoferul nu a fost găsit"},
      {"code": 0, "message": "Không tìm thấy tài xế"}, {"code": 0, "message": "Pengemudi tidak ditemukan"},
      {"code": 0, "message": "Ο οδηγός δεν βρέθηκε"}, {"code": 0, "message": "السائق غير موجود"},
      {"code": 0, "message": "הנהג לא נמצא"}, {"code": 0, "message": "ड्राइवर नहीं मिला"}, {"code": 0, "message": "ไม่พบคนขับ"},
      {"status": "OK", "meldung": "Kein Fahrer"}, {"code": 0, "mensaje": "No existe"}
     ]`,
      // cspell:enable
      'zero or one in place of a word, which is a code or a flag': `[
      {"status": 0}, {"status": 1}, {"result": "1"}, {"status": 0, "message": "The shipment is closed"}, {"state": "0", "id": "x"}
    ]`,
      'a record': `[
      {"exceptionGuid": "x"}, {"exceptionGuid": "x", "createdAt": "2026-11-29T10:00:00Z", "deletedAt": null},
      {"notificationGuid": "x", "notificationName": "n"}, {"notificationGuid": "x", "emailList": [], "deleted": false},
      {"data": [{"notificationGuid": "x"}]}, {"exceptionGuid": "x", "type": "exception", "exceptionType": "LATE"},
      {"message": "Shipment already completed", "data": {"id": "x", "status": "COMPLETED"}}
    ]`,
      'what is no flag': `[
      {"foo": 1}, {"meta": 0}, {"a": null}, {"deleted": null}, {"success": null}, {"success": {}}, {"foo": [true]}, {"tags": ["OK"]},
      {"foo": "OK"}, {"message": true}, {"items": ["completed"]}, {"foo": {"bar": "OK"}}, {"foo": true},
      {"a": {"b": {"c": {"d": {"e": true}}}}}
    ]`,
    }),
  )('%s', (_what, bodies) => {
    expect(others(bodies, ['nothing'], 'deletion')).toEqual([]);
  });

  test('what was accepted and not completed, or may not have succeeded as a whole', () => {
    const bodies = `[
      {"success": true, "status": "PENDING"}, {"status": "QUEUED"}, {"status": "accepted"}, {"statusCode": 202},
      {"statusCode": 206}, {"statusCode": 207}, {"Ack": "Warning"}, {"status": "partial success"},
      {"status": "completed with errors"}, {"ok": true, "ack": "failure"},
      {"exceptionGuid": "x", "exception": {"type": "exception"}}
    ]`;
    expect(others(bodies, ['nothing', 'refuted'], 'deletion')).toEqual([]);
  });
});

test('no success is read into a body that says something like it', () => {
  const bodies = `[
      {"success": true, "failed": ["x"]}, {"deleted": true, "count": 0}, {"status": 200, "body": {"error": "x"}},
      {"statusCode": 200, "body": "{\\"error\\": \\"not found\\"}"}, {"statusCode": 200, "body": "{\\"success\\": false}"},
      "{\\"success\\": false}", "\\"false\\"", "[false]", {"code": 0, "data": {"deleted": 0}}, {"code": 0, "data": false},
      {"errno": 0, "errmsg": "no such exception"}, {"status": "ok", "deleted": 0}, {"ok": 1, "deletedCount": "0"},
      {"result": "OK", "rowsAffected": 0}, {"result": [], "status": "NOT OK"}, {"Response": {"Status": "Fail"}},
      {"response": {"result": {"ok": "N"}}}, {"isValid": false}, {"authorized": false}, {"authenticated": false},
      {"allowed": false}, {"permitted": false}, {"loggedIn": false}, {"login": true}, {"redirect": "/login"},
      {"url": "/login", "ok": false}, {"success": "partial"}, {"success": "unknown"}, {"success": "maybe"}, {"success": -1},
      {"success": 2}, {"status": -1}, {"code": -1}, {"ret": -1}, {"ret": 1}, {"errCode": "1"}, {"err": "x"},
      {"Error": {}, "Message": "No"}, {"faultcode": "Client"}, {"exceptionMessage": "x"}, {"ExceptionType": "System.Exception"},
      {"Message": "An error has occurred."}, {"message": "error"}, {"message": "ERROR: deleted"}, {"status": "deleted?"},
      {"status": "to be deleted"}, {"status": "deleting"}, {"status": "scheduled"}, {"status": "in progress"},
      {"status": "processing"}, {"status": "INITIATED"}, {"message": "Deletion scheduled"},
      {"message": "Exception will be deleted"}, {"message": "Delete exception"}, {"message": "Are the exceptions deleted"},
      "Deleted 0", "deleted: false", "success: false", "Success=false", "unsuccessfully deleted", "Not OK", "not ok", "NOK", "ok?",
      "OK, but not deleted", "un success", "Un-Successful", "no success", "No exception deleted", "None deleted",
      "Zero exceptions deleted", "No exceptions were deleted", {"warnings": ["not deleted"]}, {"skipped": 1}, {"ignored": true},
      {"total": 0}, {"hits": 0}, {"matchedCount": 0, "modifiedCount": 0}, {"matched": 1, "deleted": 0}, {"nModified": 0},
      {"changes": 0}, {"updated": 0, "created": 0}, {"created": false, "updated": false}, {"deletedIds": []},
      {"deletedExceptions": []}, {"removed": null}, {"removed": {}}, {"data": {"affected": 0}}, {"data": {"count": 0}},
      {"numberOfDeletedRows": 0}, {"DeletedRowCount": 0}, {"records": [], "deleted": []},
      {"ok": true, "result": {"status": "failed"}}, {"success": true, "data": {"success": false}},
      {"success": true, "results": [{"success": false}]}, {"success": true, "results": [{"status": "failed"}]},
      {"results": [{"status": "deleted"},{"status": "failed"}]}, {"results": [{"code": 200},{"code": 404}]},
      [{"success": true},{"success": false}], {"errors": [], "success": true, "failures": ["x"]},
      {"status": "success", "statusCode": 500}, {"status": 200, "error": "Unauthorized"}, {"http_code": 403}, {"httpStatus": 500},
      {"HttpStatusCode": "NotFound"}, {"status_text": "Forbidden"}, {"statusText": "OK", "statusCode": 401},
      {"meta": {"code": 400}}, {"meta": {"status": "error"}}, {"header": {"resultCode": "9999"}}, {"head": {"errorCode": "X"}},
      {"Header": {"ReturnCode": "12"}}, {"resultCode": "ERR"}, {"resultCode": "FAIL", "resultMessage": "OK"},
      {"responseCode": "05"}, {"response_code": "declined"}, {"retCode": "100"}, {"RETURN": {"TYPE": "E", "MESSAGE": "x"}},
      {"RETURN": [{"TYPE": "S"},{"TYPE": "E"}]}, {"odata.error": {"code": "", "message": "x"}}, {"@odata.error": "x"},
      {"d": {"error": "x"}}, {"problem": "x"}, {"problems": ["x"]}, {"issues": [{"severity": "error"}]},
      {"resourceType": "OperationOutcome", "issue": [{"severity": "error"}]},
      {"type": "about:blank", "title": "Not Found", "status": 404}, {"jsonrpc": "2.0", "error": {"code": -32601, "message": "x"}},
      {"jsonrpc": "2.0", "result": false, "id": 1}, {"jsonrpc": "2.0", "result": null, "id": 1}, {"jsonrpc": "2.0", "id": 1},
      {"success": true, "deleted": false}, {"success": true, "deleted": "no"}, {"success": [true,false]}, {"success": []},
      {"success": ""}, {"ok": ""}, {"id": null}, {"exists": true}, {"exists": false}, {"acknowledged": true},
      {"status": "OK", "notTracked": ["x"]}, {"status": "OK", "notEligible": true}, {"started": true},
      {"status": "OK", "trackable": false}, {"status": "OK", "eligible": false},
      {"status": "OK", "trackingStatus": "DECLINED"}, {"status": "OK", "trackingStatus": "NOT_STARTED"},
      {"code": 0, "data": {"bizCode": "E1001", "bizMsg": "x"}}, {"code": 0, "sub_code": "E1001"},
      {"success": true, "errors": ["The phone number is a landline"]}, {"success": true, "error": "locked"},
      {"ok": true, "error": {"code": "X"}}, {"status": "OK", "alreadyExists": true}, {"status": "OK", "duplicate": true},
      {"status": "OK", "noop": true}, {"status": "OK", "partial": true},
      {"status": "200", "message": "Driver declined"}, {"status": "OK", "message": "Queued for deletion"},
      {"status": "OK", "message": "The load is locked"}, {"status": "OK", "message": "A phone number is required"},
      {"status": "OK", "rejectReason": "landline"}, {"status": "OK", "rejectionReasons": ["x"]}, {"status": "OK", "problems": ["x"]},
      {"status": "OK", "validationMessages": ["x"]}, {"status": "OK", "invalidFields": ["x"]},
      {"status": "OK", "missingParameters": ["x"]}, {"status": "OK", "unknownShipment": true}, {"message": "0 row(s) affected"},
      {"acknowledged": false}, {"queued": true}, {"accepted": true}, {"received": true}, {"valid": true}, {"processed": true}
    ]`;
  expect(others(bodies, ['nothing', 'refuted'], 'deletion')).toEqual([]);
});

test('a body of any depth proves nothing by its depth', () => {
  expect(verdictOf({ error: DEEP })).toBe('refuted');
  expect(verdictOf(DEEP)).toBe('nothing');
});
