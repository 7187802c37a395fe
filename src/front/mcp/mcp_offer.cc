#include "front/mcp/mcp_offer.h"

#include "front/mcp/mcp_resources.h"
#include "front/mcp/mcp_tools.h"

namespace talaria::front::mcp {

McpOffer product_offer() {
  return {
      .instructions = mcp_instructions(), .tools = mcp_tools(), .templates = resource_templates()};
}

}  // namespace talaria::front::mcp
