#include "front/gateway/openapi.h"

namespace talaria {

// The second half: what goes to and fro.
const char* const kOpenapiComponents = R"json( "components": {
  "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
  "responses": {
   "Error": {
    "description": "What is wrong",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
   }
  },
  "parameters": {
   "Sandbox": {
    "name": "sandbox",
    "in": "path",
    "required": true,
    "description": "Its id",
    "schema": {"type": "string"}
   },
   "Exec": {
    "name": "exec",
    "in": "path",
    "required": true,
    "description": "The client's execId",
    "schema": {"type": "string"}
   },
   "Approval": {
    "name": "approval",
    "in": "path",
    "required": true,
    "description": "Its id",
    "schema": {"type": "string"}
   },
   "Wait": {
    "name": "wait",
    "in": "query",
    "description": "Answer when it has ended, or after so many milliseconds",
    "schema": {"type": "integer", "minimum": 0, "maximum": 30000}
   },
   "Encoding": {
    "name": "encoding",
    "in": "query",
    "description": "All output as base64, as it comes",
    "schema": {"const": "base64"}
   },
   "From": {
    "name": "from",
    "in": "query",
    "description": "The first byte that is wanted",
    "schema": {"type": "integer", "minimum": 0}
   },
   "LastEventId": {
    "name": "Last-Event-ID",
    "in": "header",
    "description": "Go on behind it; wins over from",
    "schema": {"type": "integer", "minimum": 0}
   },
   "IdempotencyKey": {
    "name": "X-Idempotency-Key",
    "in": "header",
    "description": "The same key is the same sandbox",
    "schema": {"type": "string", "maxLength": 256}
   }
  },
  "schemas": {
   "Error": {
    "type": "object",
    "required": ["error"],
    "properties": {"error": {"type": "string", "minLength": 1}},
    "additionalProperties": false
   },
   "SandboxRequest": {
    "type": "object",
    "properties": {
     "image": {"type": "string"},
     "cwd": {"type": "string"},
     "cpu": {"type": "number", "minimum": 0},
     "memoryMiB": {"type": "number", "minimum": 0},
     "diskMiB": {"type": "number", "minimum": 0},
     "timeoutMs": {"type": "number", "minimum": 0},
     "idleTimeoutMs": {"type": "number", "minimum": 0},
     "persistentFilesystem": {"type": "boolean"},
     "logicalKey": {"type": "string"}
    }
   },
   "Sandbox": {
    "type": "object",
    "required": [
     "id", "status", "target", "isolated", "cwd", "persistentFilesystem", "logicalKey",
     "restored", "execs", "createdAt", "lastUsedAt", "features"
    ],
    "properties": {
     "id": {"type": "string", "pattern": "^sbx_[0-9a-f]{32}$"},
     "status": {"enum": ["creating", "running", "terminated"]},
     "target": {"type": "string"},
     "isolated": {"type": "boolean"},
     "cwd": {"type": "string"},
     "persistentFilesystem": {"type": "boolean"},
     "logicalKey": {"type": "string"},
     "restored": {"type": "boolean"},
     "execs": {"type": "integer"},
     "createdAt": {"$ref": "#/components/schemas/Time"},
     "lastUsedAt": {"$ref": "#/components/schemas/Time"},
     "features": {"type": "array", "items": {"type": "string"}}
    },
    "additionalProperties": false
   },
   "SandboxList": {
    "type": "object",
    "required": ["sandboxes"],
    "properties": {
     "sandboxes": {"type": "array", "items": {"$ref": "#/components/schemas/Sandbox"}}
    },
    "additionalProperties": false
   },
   "TerminateRequest": {
    "type": "object",
    "properties": {"snapshotBeforeTerminate": {"type": "boolean"}}
   },
   "Terminated": {
    "type": "object",
    "required": ["id", "status"],
    "properties": {
     "id": {"type": "string"},
     "status": {"const": "terminated"},
     "snapshotError": {"type": "string"}
    },
    "additionalProperties": false
   },
   "ExecRequest": {
    "type": "object",
    "required": ["execId", "command"],
    "properties": {
     "execId": {"type": "string", "pattern": "^[A-Za-z0-9._:-]{1,128}$"},
     "command": {"type": "string"},
     "cwd": {"type": "string"},
     "stdinData": {"type": "string"},
     "stdin": {"type": "boolean"},
     "timeoutMs": {"type": "number", "minimum": 0},
     "env": {"type": "object", "additionalProperties": {"type": "string"}}
    }
   },
   "Exec": {
    "type": "object",
    "required": [
     "execId", "status", "output", "returncode", "outputBytes", "truncated", "createdAt"
    ],
    "properties": {
     "execId": {"type": "string"},
     "status": {"$ref": "#/components/schemas/ExecStatus"},
     "output": {"type": "string"},
     "returncode": {"type": ["integer", "null"]},
     "outputBytes": {"type": "integer"},
     "truncated": {"type": "boolean"},
     "reason": {"type": "string"},
     "approvalId": {"type": "string"},
     "createdAt": {"$ref": "#/components/schemas/Time"},
     "startedAt": {"$ref": "#/components/schemas/Time"},
     "endedAt": {"$ref": "#/components/schemas/Time"}
    },
    "additionalProperties": false
   },
   "ExecSummary": {
    "type": "object",
    "required": [
     "execId", "status", "returncode", "outputBytes", "truncated", "createdAt"
    ],
    "properties": {
     "execId": {"type": "string"},
     "status": {"$ref": "#/components/schemas/ExecStatus"},
     "returncode": {"type": ["integer", "null"]},
     "outputBytes": {"type": "integer"},
     "truncated": {"type": "boolean"},
     "reason": {"type": "string"},
     "approvalId": {"type": "string"},
     "createdAt": {"$ref": "#/components/schemas/Time"},
     "startedAt": {"$ref": "#/components/schemas/Time"},
     "endedAt": {"$ref": "#/components/schemas/Time"}
    },
    "additionalProperties": false
   },
   "ExecStatus": {
    "enum": [
     "queued", "running", "cancelling", "completed", "failed", "cancelled", "timeout"
    ]
   },
   "ExecList": {
    "type": "object",
    "required": ["execs"],
    "properties": {
     "execs": {"type": "array", "items": {"$ref": "#/components/schemas/ExecSummary"}}
    },
    "additionalProperties": false
   },
   "Cancelling": {
    "type": "object",
    "required": ["execId", "status"],
    "properties": {"execId": {"type": "string"}, "status": {"const": "cancelling"}},
    "additionalProperties": false
   },
   "InputRequest": {
    "type": "object",
    "properties": {
     "data": {"type": "string"},
     "dataBase64": {"type": "string", "contentEncoding": "base64"},
     "end": {"type": "boolean"}
    }
   },
   "Taken": {
    "type": "object",
    "required": ["taken"],
    "properties": {"taken": {"const": true}},
    "additionalProperties": false
   },
   "SignalRequest": {
    "type": "object",
    "required": ["signal"],
    "properties": {"signal": {"type": ["string", "integer"]}}
   },
   "Sent": {
    "type": "object",
    "required": ["sent"],
    "properties": {"sent": {"const": true}},
    "additionalProperties": false
   },
   "AnswerRequest": {
    "type": "object",
    "required": ["answer"],
    "properties": {"answer": {"enum": ["once", "session", "always", "deny"]}}
   },
   "Approval": {
    "type": "object",
    "required": ["id", "command", "description"],
    "properties": {
     "id": {"type": "string"},
     "command": {"type": "string"},
     "description": {"type": "string"}
    }
   },
   "ApprovalList": {
    "type": "object",
    "required": ["approvals"],
    "properties": {
     "approvals": {"type": "array", "items": {"$ref": "#/components/schemas/Approval"}}
    },
    "additionalProperties": false
   },
   "Health": {
    "type": "object",
    "required": ["status"],
    "properties": {"status": {"type": "string"}},
    "additionalProperties": false
   },
   "Time": {"type": "string", "format": "date-time"}
  }
 }
})json";

}  // namespace talaria
