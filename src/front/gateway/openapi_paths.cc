#include "front/gateway/openapi.h"

namespace talaria {

// The first half of the document: every route, and what it may answer.
const char* const kOpenapiPaths = R"json({
 "openapi": "3.1.0",
 "info": {
  "title": "Talaria gateway",
  "version": "1",
  "description": "Sandboxes and commands in them. docs/gateway-protocol.md says more."
 },
 "security": [{"token": []}],
 "paths": {
  "/v1/sandboxes": {
   "post": {
    "operationId": "createSandbox",
    "summary": "Make a sandbox",
    "parameters": [{"$ref": "#/components/parameters/IdempotencyKey"}],
    "requestBody": {
     "required": false,
     "content": {
      "application/json": {"schema": {"$ref": "#/components/schemas/SandboxRequest"}}
     }
    },
    "responses": {
     "200": {
      "description": "The sandbox of an earlier request with the same key",
      "content": {
       "application/json": {"schema": {"$ref": "#/components/schemas/Sandbox"}}
      }
     },
     "201": {
      "description": "A new sandbox",
      "content": {
       "application/json": {"schema": {"$ref": "#/components/schemas/Sandbox"}}
      }
     },
     "400": {"$ref": "#/components/responses/Error"},
     "401": {"$ref": "#/components/responses/Error"},
     "403": {"$ref": "#/components/responses/Error"},
     "409": {"$ref": "#/components/responses/Error"},
     "429": {"$ref": "#/components/responses/Error"},
     "500": {"$ref": "#/components/responses/Error"},
     "502": {"$ref": "#/components/responses/Error"},
     "503": {"$ref": "#/components/responses/Error"}
    }
   },
   "get": {
    "operationId": "listSandboxes",
    "summary": "One's own that live",
    "responses": {
     "200": {
      "description": "All of them",
      "content": {
       "application/json": {"schema": {"$ref": "#/components/schemas/SandboxList"}}
      }
     },
     "401": {"$ref": "#/components/responses/Error"},
     "403": {"$ref": "#/components/responses/Error"},
     "429": {"$ref": "#/components/responses/Error"},
     "500": {"$ref": "#/components/responses/Error"}
    }
   }
  },
  "/v1/sandboxes/{sandbox}": {
   "get": {
    "operationId": "showSandbox",
    "summary": "One of them",
    "parameters": [{"$ref": "#/components/parameters/Sandbox"}],
    "responses": {
     "200": {
      "description": "It",
      "content": {
       "application/json": {"schema": {"$ref": "#/components/schemas/Sandbox"}}
      }
     },
     "401": {"$ref": "#/components/responses/Error"},
     "403": {"$ref": "#/components/responses/Error"},
     "404": {"$ref": "#/components/responses/Error"},
     "429": {"$ref": "#/components/responses/Error"},
     "500": {"$ref": "#/components/responses/Error"}
    }
   }
  },
  "/v1/sandboxes/{sandbox}/terminate": {
   "post": {
    "operationId": "terminateSandbox",
    "summary": "End it with all that runs in it",
    "parameters": [{"$ref": "#/components/parameters/Sandbox"}],
    "requestBody": {
     "required": false,
     "content": {
      "application/json": {"schema": {"$ref": "#/components/schemas/TerminateRequest"}}
     }
    },
    "responses": {
     "200": {
      "description": "It is gone",
      "content": {
       "application/json": {"schema": {"$ref": "#/components/schemas/Terminated"}}
      }
     },
     "400": {"$ref": "#/components/responses/Error"},
     "401": {"$ref": "#/components/responses/Error"},
     "403": {"$ref": "#/components/responses/Error"},
     "404": {"$ref": "#/components/responses/Error"},
     "429": {"$ref": "#/components/responses/Error"},
     "500": {"$ref": "#/components/responses/Error"},
     "503": {"$ref": "#/components/responses/Error"}
    }
   }
  },
  "/v1/sandboxes/{sandbox}/execs": {
   "post": {
    "operationId": "startExec",
    "summary": "Run a command, once for each execId",
    "parameters": [
     {"$ref": "#/components/parameters/Sandbox"}, {"$ref": "#/components/parameters/Wait"}
    ],
    "requestBody": {
     "required": true,
     "content": {
      "application/json": {"schema": {"$ref": "#/components/schemas/ExecRequest"}}
     }
    },
    "responses": {
     "200": {
      "description": "It has ended",
      "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Exec"}}}
     },
     "202": {
      "description": "It goes on",
      "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Exec"}}}
     },
     "400": {"$ref": "#/components/responses/Error"},
     "401": {"$ref": "#/components/responses/Error"},
     "403": {"$ref": "#/components/responses/Error"},
     "404": {"$ref": "#/components/responses/Error"},
     "429": {"$ref": "#/components/responses/Error"},
     "500": {"$ref": "#/components/responses/Error"},
     "502": {"$ref": "#/components/responses/Error"},
     "503": {"$ref": "#/components/responses/Error"}
    }
   },
   "get": {
    "operationId": "listExecs",
    "summary": "All of a sandbox, without their output",
    "parameters": [{"$ref": "#/components/parameters/Sandbox"}],
    "responses": {
     "200": {
      "description": "All of them",
      "content": {
       "application/json": {"schema": {"$ref": "#/components/schemas/ExecList"}}
      }
     },
     "401": {"$ref": "#/components/responses/Error"},
     "403": {"$ref": "#/components/responses/Error"},
     "404": {"$ref": "#/components/responses/Error"},
     "429": {"$ref": "#/components/responses/Error"},
     "500": {"$ref": "#/components/responses/Error"}
    }
   }
  },
  "/v1/sandboxes/{sandbox}/execs/{exec}": {
   "get": {
    "operationId": "pollExec",
    "summary": "How it is",
    "parameters": [
     {"$ref": "#/components/parameters/Sandbox"}, {"$ref": "#/components/parameters/Exec"},
     {"$ref": "#/components/parameters/Wait"}
    ],
    "responses": {
     "200": {
      "description": "It",
      "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Exec"}}}
     },
     "400": {"$ref": "#/components/responses/Error"},
     "401": {"$ref": "#/components/responses/Error"},
     "403": {"$ref": "#/components/responses/Error"},
     "404": {"$ref": "#/components/responses/Error"},
     "429": {"$ref": "#/components/responses/Error"},
     "500": {"$ref": "#/components/responses/Error"}
    }
   }
  },
  "/v1/sandboxes/{sandbox}/execs/{exec}/cancel": {
   "post": {
    "operationId": "cancelExec",
    "summary": "End it",
    "parameters": [
     {"$ref": "#/components/parameters/Sandbox"}, {"$ref": "#/components/parameters/Exec"}
    ],
    "responses": {
     "200": {
      "description": "It had ended before",
      "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Exec"}}}
     },
     "202": {
      "description": "It is being ended",
      "content": {
       "application/json": {"schema": {"$ref": "#/components/schemas/Cancelling"}}
      }
     },
     "401": {"$ref": "#/components/responses/Error"},
     "403": {"$ref": "#/components/responses/Error"},
     "404": {"$ref": "#/components/responses/Error"},
     "429": {"$ref": "#/components/responses/Error"},
     "500": {"$ref": "#/components/responses/Error"}
    }
   }
  },
  "/v1/sandboxes/{sandbox}/execs/{exec}/stdin": {
   "post": {
    "operationId": "writeExec",
    "summary": "Give it input",
    "parameters": [
     {"$ref": "#/components/parameters/Sandbox"}, {"$ref": "#/components/parameters/Exec"}
    ],
    "requestBody": {
     "required": false,
     "content": {
      "application/json": {"schema": {"$ref": "#/components/schemas/InputRequest"}}
     }
    },
    "responses": {
     "200": {
      "description": "All of it was taken",
      "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Taken"}}}
     },
     "400": {"$ref": "#/components/responses/Error"},
     "401": {"$ref": "#/components/responses/Error"},
     "403": {"$ref": "#/components/responses/Error"},
     "404": {"$ref": "#/components/responses/Error"},
     "409": {"$ref": "#/components/responses/Error"},
     "429": {"$ref": "#/components/responses/Error"},
     "500": {"$ref": "#/components/responses/Error"},
     "502": {"$ref": "#/components/responses/Error"},
     "503": {"$ref": "#/components/responses/Error"}
    }
   }
  },
  "/v1/sandboxes/{sandbox}/execs/{exec}/signal": {
   "post": {
    "operationId": "signalExec",
    "summary": "Send a signal to its tree",
    "parameters": [
     {"$ref": "#/components/parameters/Sandbox"}, {"$ref": "#/components/parameters/Exec"}
    ],
    "requestBody": {
     "required": true,
     "content": {
      "application/json": {"schema": {"$ref": "#/components/schemas/SignalRequest"}}
     }
    },
    "responses": {
     "200": {
      "description": "It was sent",
      "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Sent"}}}
     },
     "400": {"$ref": "#/components/responses/Error"},
     "401": {"$ref": "#/components/responses/Error"},
     "403": {"$ref": "#/components/responses/Error"},
     "404": {"$ref": "#/components/responses/Error"},
     "409": {"$ref": "#/components/responses/Error"},
     "429": {"$ref": "#/components/responses/Error"},
     "500": {"$ref": "#/components/responses/Error"},
     "502": {"$ref": "#/components/responses/Error"},
     "503": {"$ref": "#/components/responses/Error"}
    }
   }
  },
  "/v1/sandboxes/{sandbox}/execs/{exec}/output": {
   "get": {
    "operationId": "streamExec",
    "summary": "Its output as it comes",
    "parameters": [
     {"$ref": "#/components/parameters/Sandbox"}, {"$ref": "#/components/parameters/Exec"},
     {"$ref": "#/components/parameters/From"},
     {"$ref": "#/components/parameters/Encoding"},
     {"$ref": "#/components/parameters/LastEventId"}
    ],
    "responses": {
     "200": {
      "description": "Events: output, gap, end",
      "content": {"text/event-stream": {"schema": {"type": "string"}}}
     },
     "400": {"$ref": "#/components/responses/Error"},
     "401": {"$ref": "#/components/responses/Error"},
     "403": {"$ref": "#/components/responses/Error"},
     "404": {"$ref": "#/components/responses/Error"},
     "429": {"$ref": "#/components/responses/Error"},
     "500": {"$ref": "#/components/responses/Error"}
    }
   }
  },
  "/v1/approvals": {
   "get": {
    "operationId": "listApprovals",
    "summary": "Commands that wait for somebody",
    "responses": {
     "200": {
      "description": "All of them",
      "content": {
       "application/json": {"schema": {"$ref": "#/components/schemas/ApprovalList"}}
      }
     },
     "401": {"$ref": "#/components/responses/Error"},
     "403": {"$ref": "#/components/responses/Error"},
     "429": {"$ref": "#/components/responses/Error"},
     "500": {"$ref": "#/components/responses/Error"}
    }
   }
  },
  "/v1/approvals/{approval}": {
   "post": {
    "operationId": "answerApproval",
    "summary": "Let one run, or not",
    "parameters": [{"$ref": "#/components/parameters/Approval"}],
    "requestBody": {
     "required": true,
     "content": {
      "application/json": {"schema": {"$ref": "#/components/schemas/AnswerRequest"}}
     }
    },
    "responses": {
     "200": {
      "description": "The question, answered",
      "content": {
       "application/json": {"schema": {"$ref": "#/components/schemas/Approval"}}
      }
     },
     "400": {"$ref": "#/components/responses/Error"},
     "401": {"$ref": "#/components/responses/Error"},
     "403": {"$ref": "#/components/responses/Error"},
     "404": {"$ref": "#/components/responses/Error"},
     "409": {"$ref": "#/components/responses/Error"},
     "429": {"$ref": "#/components/responses/Error"},
     "500": {"$ref": "#/components/responses/Error"}
    }
   }
  },
  "/healthz": {
   "get": {
    "operationId": "showHealth",
    "summary": "Whether it lives",
    "responses": {
     "200": {
      "description": "It does",
      "content": {
       "application/json": {"schema": {"$ref": "#/components/schemas/Health"}}
      }
     },
     "403": {"$ref": "#/components/responses/Error"},
     "500": {"$ref": "#/components/responses/Error"}
    },
    "security": []
   }
  },
  "/readyz": {
   "get": {
    "operationId": "showReadiness",
    "summary": "Whether it takes work",
    "responses": {
     "200": {
      "description": "It does",
      "content": {
       "application/json": {"schema": {"$ref": "#/components/schemas/Health"}}
      }
     },
     "403": {"$ref": "#/components/responses/Error"},
     "500": {"$ref": "#/components/responses/Error"},
     "503": {"$ref": "#/components/responses/Error"}
    },
    "security": []
   }
  },
  "/openapi.json": {
   "get": {
    "operationId": "showOpenapi",
    "summary": "This document",
    "responses": {
     "200": {
      "description": "It",
      "content": {"application/json": {"schema": {"type": "object"}}}
     },
     "403": {"$ref": "#/components/responses/Error"},
     "500": {"$ref": "#/components/responses/Error"}
    },
    "security": []
   }
  },
  "/metrics": {
   "get": {
    "operationId": "showMetrics",
    "summary": "For Prometheus",
    "responses": {
     "200": {
      "description": "Figures",
      "content": {"text/plain": {"schema": {"type": "string"}}}
     },
     "401": {"$ref": "#/components/responses/Error"},
     "403": {"$ref": "#/components/responses/Error"},
     "429": {"$ref": "#/components/responses/Error"},
     "500": {"$ref": "#/components/responses/Error"}
    }
   }
  }
 },
)json";

}  // namespace talaria
